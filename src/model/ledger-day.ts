/** One day of a shop's ledger: what the warehouse knows of it, and what plans are made from. */
export type LedgerDay = {
  readonly day: Temporal.PlainDate;
  readonly verifiedAt: Temporal.Instant | undefined;
  /** Whether it is to be verified, by the rule `ops.is_due` of the database, under the policy that the ledger was read for. */
  readonly isDue: boolean;
  /** Orders of the day when it was last verified. */
  readonly orders: number | undefined;
  /** Why the last attempt to verify it failed, and when it is tried again. */
  readonly failure?: { readonly reason: string; readonly retryAt: Temporal.Instant | undefined };
  /** How often orders were seen to come to the day, to leave it, or to move within it; undefined without a row. */
  readonly moves?: number | undefined;
  /** From then on orders of the day that the list lacked are to be looked for once more; undefined: it lacks none. */
  readonly confirmAt?: Temporal.Instant | undefined;
  /** What was read of it since, by a reading that is not finished. */
  readonly part?: DayPart | undefined;
};

/** The newer part of a day, read by proven windows. */
export type DayPart = {
  /** From this minute up to midnight the day was read. */
  readonly readFrom: Temporal.PlainDateTime;
  /** When its first window was requested. */
  readonly since: Temporal.Instant;
  readonly orders: number;
  /** `moves` of the day before its first window was requested. */
  readonly moves: number | undefined;
};
