/** What operators are told about. In the order in which those found at once are told. */
export const ALERT_CAUSES = [
  'credentials',
  'drift',
  'failing',
  'crashes',
  'stale',
  'deletions',
  'silent',
  'rejections',
  'clock',
] as const;
export type AlertCause = (typeof ALERT_CAUSES)[number];

/** Causes that only a sweep can find: everything else that alerts are raised from is in other tables. */
export type FindingCause = 'credentials' | 'deletions' | 'clock' | 'drift' | 'crashes';

/** What the latest sweeps found wrong with a shop, as sentences. */
export type Findings = Readonly<Partial<Record<FindingCause, string | undefined>>>;

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
  /** Undefined where its rhythm is not known, or it is not known until when its orders are. */
  readonly silence: SilenceFacts | undefined;
  readonly findings: Findings;
};

/** When a shop usually takes orders, in its own time: see `plan/alerts/silence.ts`. */
export type Rhythm = {
  readonly per_week: number;
  /** Their shares of the orders; Monday first. */
  readonly by_weekday: readonly number[];
  readonly by_hour: readonly number[];
  /** The longest time without an order, measured by how many were to be expected in it. */
  readonly longest: number;
};

/** What tells whether a shop fell silent. Times are milliseconds of the shop's own clock, as if that were UTC. */
export type SilenceFacts = {
  readonly rhythm: Rhythm;
  readonly lastOrderMs: number;
  /** That of the thirtieth order from the end, if there are so many. */
  readonly thirtiethMs: number | undefined;
  /** Until when its orders are known. */
  readonly knownUntilMs: number;
};
