/** The causes of alerts. Alerts raised at the same time are sent in this order. */
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
  /** How often the current day must be verified. */
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
  /** Undefined without an order, and where it is not known until when its orders are known. */
  readonly silence: Silence | undefined;
  readonly findings: Findings;
};

/** However busy the shop: on a holiday that was never seen before, an hour may pass without an order. */
export const MIN_SILENCE_MS = 7_200_000;
/** By so many of the latest orders it is seen whether they come slower than usual. */
export const LATELY_ORDERS = 30;

/** How long a shop has taken no order, by its own clock, and what the weeks before usually brought. */
export type Silence = {
  readonly ms: number;
  /** Orders that are usual in it; 0 where it is shorter than {@link MIN_SILENCE_MS}, and of a shop that opened lately. */
  readonly expected: number;
  /** The same of the time that the {@link LATELY_ORDERS} latest orders took; 0 where there were fewer. */
  readonly expectedLately: number;
};
