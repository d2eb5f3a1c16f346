/** One day of a shop's ledger: what the warehouse knows of it, and what plans are made from. */
export type LedgerDay = {
  readonly day: Temporal.PlainDate;
  readonly verifiedAt: Temporal.Instant | undefined;
  /** Whether it must be verified, by `ops.is_due` of the database under the policy that the ledger was read with. */
  readonly isDue: boolean;
  /** Orders of the day when it was last verified. */
  readonly orders: number | undefined;
  /** Why the last attempt to verify it failed, and when it is tried again. */
  readonly failure?: { readonly reason: string; readonly retryAt: Temporal.Instant | undefined };
  /** When to check stored orders of the day again that the shop did not list; undefined: it listed all. */
  readonly confirmAt?: Temporal.Instant | undefined;
};
