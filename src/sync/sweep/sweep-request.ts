import type { LoadEstimate } from '../../plan/first-load.ts';

/** What a sweep takes, roughly. */
export type SweepEstimate = LoadEstimate & {
  /** Orders to load. */
  readonly orders: number;
  /** Orders in the days to be read, with those that the warehouse holds already. */
  readonly listed: number;
};

/** What one sweep of one shop should do. */
export type SweepRequest = {
  readonly kind: 'sync' | 'backfill';
  /** First and last day. @default the start of the shop's history, and today */
  readonly from?: Temporal.PlainDate | undefined;
  readonly to?: Temporal.PlainDate | undefined;
  /** Verify every day of the range again, even if it is not due. */
  readonly force?: boolean;
  /** Trust the shop even if implausibly many orders disappeared at once. */
  readonly acceptMissing?: boolean;
  /** Read the list without dates too, even if that is not due. */
  readonly audit?: boolean;
  /** No new window is started after this. */
  readonly budgetMs?: number | undefined;
  /** No new window is started once this returns true. */
  readonly mustEnd?: () => boolean;
  /** Called before the first window, with what is due; costs a list request. */
  readonly onEstimate?: (estimate: SweepEstimate) => void;
};
