/** The dates of a request; an absent one leaves that end open. */
export type Dates = {
  readonly from: Temporal.PlainDateTime | undefined;
  readonly to: Temporal.PlainDateTime | undefined;
};

/** For a shop that treats one date as none: beyond these lies no order that a date filter is trusted with. */
export const FARTHEST = {
  from: Temporal.PlainDateTime.from('1970-01-01T00:00:00'),
  to: Temporal.PlainDateTime.from('2037-12-31T23:59:59'),
};
