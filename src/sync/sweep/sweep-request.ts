/** What is asked of one sweep of one shop. */
export type SweepRequest = {
  readonly kind: 'sync' | 'backfill';
  /** First and last day; the shop's history, and today, when undefined. */
  readonly from?: Temporal.PlainDate | undefined;
  readonly to?: Temporal.PlainDate | undefined;
  /** Verify every day of the range again, whenever it was verified last. */
  readonly force?: boolean;
  /** Believe the shop even where more orders vanished at once than looks right. */
  readonly acceptMissing?: boolean;
  /** Read the list without dates as well, whenever it was read last. */
  readonly audit?: boolean;
  /** No new window is begun after this. */
  readonly budgetMs?: number | undefined;
};
