/** What operators are told about. In the order in which those found at once are told. */
export const ALERT_CAUSES = [
  'credentials',
  'drift',
  'failing',
  'crashes',
  'stale',
  'deletions',
  'rejections',
  'clock',
] as const;
export type AlertCause = (typeof ALERT_CAUSES)[number];

/** What the warehouse knows about one shop: `plan/alerts/alert-causes.ts` judges it. */
export type AlertFacts = {
  readonly shopKey: string;
  /** Until when its newest orders are known; undefined before the first day was verified. */
  readonly freshAt: Temporal.Instant | undefined;
  /** How often today is to be verified. */
  readonly targetMs: number | undefined;
  /** When a sweep last looked at it. */
  readonly lookedAt: Temporal.Instant | undefined;
  /** Why its newest day could not be verified; undefined if it was not attempted since. */
  readonly openReason: string | undefined;
  /** Failed sweeps in a row, since the last one that made progress; not all, if there were many. */
  readonly failures: number;
  readonly lastError: string | undefined;
  /** Every day was verified once. */
  readonly isLoaded: boolean;
  /** Rejections first seen in the last day that are still open. */
  readonly newRejections: number;
  /** Rejections first seen in the seven days before. */
  readonly earlierRejections: number;
  /** Undocumented fields first seen in the last day. */
  readonly newFields: readonly string[];
  /** What the latest sweeps found, as sentences. */
  readonly findings: Readonly<Partial<Record<AlertCause, string>>>;
};
