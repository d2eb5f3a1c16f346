import { MAX_PAUSE_MS } from '../../model/errors.ts';

/** One line of the policy: days younger than `youngerThanDays` are verified at least every `targetMs`. */
type FreshnessRule = { readonly youngerThanDays: number; readonly targetMs: number };

/** Rules in ascending order of age; the last one covers every age. */
export type FreshnessPolicy = readonly FreshnessRule[];

export const DEFAULT_FRESHNESS = '2d:1m, 14d:1h, 60d:6h, 400d:1d, *:7d';

const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a duration such as `90s`, `5m`, `6h` or `7d`; undefined for any other text. */
export function parseDurationMs(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,6})\s*([smhd])$/.exec(text.trim()) ?? [];
  const unitMs = UNIT_MS[unit];
  return unitMs && Number(count) * unitMs;
}

/**
 * Parses `AGE:TARGET, …, *:TARGET`: an age in days, a target as a duration, ages ascending, `*` last.
 *
 * @throws RangeError with a sentence that names the first thing wrong
 */
export function parseFreshness(text: string): FreshnessPolicy {
  const parts = text.split(',');
  const rules = parts.map(parseRule);
  const ages = rules.map((rule) => rule.youngerThanDays);
  const misplaced = parts.find((_, index) => (ages[index] ?? 0) <= (ages[index - 1] ?? 0));
  if (misplaced !== undefined) {
    throw new RangeError(
      `"${misplaced.trim()}" is out of place: the ages must ascend, as in "2d:1m, 14d:1h, *:7d"`,
    );
  }
  if (ages.at(-1) !== Number.POSITIVE_INFINITY) {
    throw new RangeError('the last part must be "*:TARGET", for all older days');
  }
  return rules;
}

/** What a mistyped rule consists of. */
const SHOWN = /^(?:(?!\d{6}|[a-z]{2})[\d\s*:.a-z-]){0,16}$/i;

function parseRule(part: string, index: number): FreshnessRule {
  const [age = '', target = '', ...rest] = part.split(':').map((side) => side.trim());
  const targetMs = parseDurationMs(target);
  const days = age === '*' ? Number.POSITIVE_INFINITY : Number(/^(\d{1,5})d$/.exec(age)?.[1]);
  if (rest.length > 0 || Number.isNaN(days) || days === 0 || targetMs === undefined || targetMs === 0) {
    // Anything else is not repeated: it may be a secret that was set under the wrong name.
    const named = SHOWN.test(part) ? `"${part.trim()}"` : `part no. ${index + 1}`;
    throw new RangeError(`${named} is not AGE:TARGET, such as "14d:1h" or "*:7d"`);
  }
  return { youngerThanDays: days, targetMs };
}

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;

/**
 * The policy of a shop that no worker syncs: no target is shorter than the time between its sweeps, so that it is not late in
 * between. Two sweeps may be close together by chance, so the shortest target begins at a day and is at most halved by each sweep.
 *
 * @param last the policy as it was after the sweep before, and when that began; undefined: there was none
 */
export function followSweeps(
  policy: FreshnessPolicy,
  last: { readonly policy: FreshnessPolicy; readonly beganAt: Temporal.Instant } | undefined,
  now: Temporal.Instant,
): FreshnessPolicy {
  const between = last?.beganAt.until(now).total('milliseconds') ?? DAY_MS;
  const longest = Math.max(between, freshnessTargetMs(last?.policy ?? [], 0) / 2);
  // Whole seconds: it is stored as such, and no instant can be moved by a fraction of a millisecond.
  const usual = Math.min(WEEK_MS, Math.ceil(longest / 1000) * 1000);
  return policy.map((rule) => ({ ...rule, targetMs: Math.max(rule.targetMs, usual) }));
}

/** @param ageDays 0 for today; the future counts as today */
export function freshnessTargetMs(policy: FreshnessPolicy, ageDays: number): number {
  return policy.find((rule) => ageDays < rule.youngerThanDays)?.targetMs ?? 0;
}

const FIRST_MS = 60_000;
/** New orders come in today, and are not seen until it is read. */
const MAX_TODAY_MS = 300_000;

/** A day that could not be verified. */
export type FailedDay = {
  /** How often in a row, this time included. */
  readonly attempts: number;
  readonly ageDays: number;
  /** How often it must be verified. */
  readonly targetMs: number;
  /** It was read whole and its orders were loaded, so a retry costs no more than a verification. */
  readonly wasRead: boolean;
};

/** The pause doubles with each attempt: up to the day's freshness target if it was read, and in any case up to an hour. */
export function retryAfterMs({ attempts, ageDays, targetMs, wasRead }: FailedDay): number {
  const ofAge = ageDays <= 0 ? MAX_TODAY_MS : MAX_PAUSE_MS;
  const most = Math.min(MAX_PAUSE_MS, wasRead ? targetMs : ofAge);
  return Math.min(most, FIRST_MS * 2 ** (attempts - 1));
}
