/** The causes of alerts: when each one applies, what to do about it, and when it is over. */
import {
  ALERT_CAUSES,
  type AlertCause,
  type AlertFacts,
  LATELY_ORDERS,
  MIN_SILENCE_MS,
} from '../../model/alert-facts.ts';
import { duration, grouped } from '../../model/amount-text.ts';
import { nextStep } from '../../model/next-step.ts';

/** Consecutive failed sweeps until a shop counts as failing. */
const FAILED_AFTER = 3;
/** However short the target: a restart, or one slow sweep, is not worth an alert. */
const MIN_STALE_MS = 600_000;
const MIN_NEW_REJECTIONS = 20;
/** Rejections rise when there are more than this many times as many as on the days before. */
const REJECTIONS_FACTOR = 2;
/** So many orders do not fail to come by chance, whatever the day is like: see test/plan/alerts/silence.test.ts. */
const MIN_EXPECTED = 40;

/** If the cause holds, the rest of a sentence that begins with the shop; null if it does not hold, undefined if that is not known. */
type Finding = string | null | undefined;

type Cause = {
  readonly find: (facts: AlertFacts, now: Temporal.Instant) => Finding;
  readonly recovery: string;
};

const CAUSES: Readonly<Record<AlertCause, Cause>> = {
  credentials: {
    find: ({ findings, shopKey }) =>
      findings.credentials === undefined
        ? null
        : `refuses the login: ${findings.credentials}. Correct them, then run ${nextStep('sync due days', { shop: shopKey })}`,
    recovery: 'accepts the login and API key again',
  },
  drift: { find: findDrift, recovery: 'sends the expected fields again, and has sent no new one for a day' },
  failing: { find: findFailing, recovery: 'is swept without failures again' },
  crashes: {
    find: ({ findings }) =>
      findings.crashes === undefined ? null : `is not swept to the end: ${findings.crashes}`,
    recovery: 'is swept to the end again',
  },
  stale: { find: findStale, recovery: 'has up-to-date orders again' },
  deletions: {
    find: ({ findings }) =>
      findings.deletions === undefined ? null : `has unconfirmed deletions: ${findings.deletions}`,
    recovery: 'has no unconfirmed deletions any more',
  },
  silent: { find: findSilent, recovery: 'takes orders again' },
  rejections: { find: findRejections, recovery: 'has no unusual number of rejections any more' },
  clock: {
    find: ({ findings }) =>
      findings.clock === undefined ? null : `has a wrong time zone or clock: ${findings.clock}`,
    recovery: 'has no orders dated in the future any more',
  },
};

export type Verdict = {
  readonly cause: AlertCause;
  /** What the shop does or has, without a full stop; undefined where the cause does not hold. */
  readonly finding: string | undefined;
};

/** Which causes hold for a shop, and which do not; one that is not known now is left out, and stays as it was. */
export function judgeShop(facts: AlertFacts, now: Temporal.Instant): readonly Verdict[] {
  return ALERT_CAUSES.flatMap((cause) => {
    const found = CAUSES[cause].find(facts, now);
    return found === undefined ? [] : { cause, finding: found ?? undefined };
  });
}

/** The message that a cause holds. */
export const alertText = (shopKey: string, finding: string) => `order-sync: shop ${shopKey} ${finding}.`;

/** The message that a cause is over. It began before the alert, which is raised only after a while. */
export function recoveryText(
  cause: AlertCause,
  shopKey: string,
  raisedAt: Temporal.Instant,
  recoveredAt: Temporal.Instant,
): string {
  const lasted = duration(recoveredAt.since(raisedAt).total('milliseconds'), 2);
  return alertText(shopKey, `${CAUSES[cause].recovery}, ${lasted} after the alert`);
}

function findDrift({ findings, newFields }: AlertFacts): Finding {
  if (findings.drift !== undefined) {
    return `changed its API: ${findings.drift}. Compare it with the documentation, and update order-sync`;
  }
  if (newFields.length === 0) return null;
  const named = newFields.slice(0, 10).join(', ');
  const others = newFields.length > 10 ? ` and ${newFields.length - 10} more` : '';
  return `sends new fields: ${named}${others}. If persons are stored, core.order_persons keeps these fields; nothing else has changed`;
}

/** Refused credentials and a changed API make sweeps fail too, and say more. */
function findFailing({ failures, findings, lastError, shopKey }: AlertFacts): Finding {
  if (findings.credentials !== undefined || findings.drift !== undefined) return undefined;
  if (failures < FAILED_AFTER) return null;
  const why = lastError === undefined ? '' : `: ${lastError}`;
  return `could not be swept ${FAILED_AFTER} times in a row${why}. It is tried again; ${nextStep('check shop', { shop: shopKey })} tests it now`;
}

/** A shop that was never fresh is still in its first load, or failing. */
function findStale(facts: AlertFacts, now: Temporal.Instant): Finding {
  const { findings, freshAt, lastError, lookedAt, openReason, shopKey, targetMs } = facts;
  if (freshAt === undefined || targetMs === undefined) return undefined;
  const isOld = (at: Temporal.Instant) =>
    now.since(at).total('milliseconds') > Math.max(2 * targetMs, MIN_STALE_MS);
  if (!isOld(freshAt)) return null;
  const isSwept = lookedAt !== undefined && !isOld(lookedAt);
  const reason = openReason ?? lastError;
  const isDeletionRefused = openReason !== undefined && openReason === findings.deletions;
  const hasOwnAlert = isDeletionRefused || (findings.credentials ?? findings.drift) !== undefined;
  // The alert about that reason says more. Without a worker, however, nobody would notice that the reason is gone.
  if (isSwept && hasOwnAlert) return undefined;
  const compared = `has stale orders: the newest were last compared with the shop at ${minuteText(freshAt)}`;
  const lastSweep = `the last sweep began at ${minuteText(lookedAt ?? freshAt)}, is a worker running?`;
  const why = isSwept ? `${reason ?? 'sweeps start, but do not reach them'}.` : lastSweep;
  return `${compared}, and its target is ${duration(targetMs, 2)}: ${why} Look at ${nextStep('show status', { shop: shopKey })}`;
}

/**
 * Sales are what the shop is for: its checkout may be broken while everything else works. A silence is measured by the number of orders
 * that are usual in that time, so that a night counts for little.
 */
function findSilent({ silence }: AlertFacts): Finding {
  if (silence === undefined) return undefined;
  const { ms, expected, expectedLately } = silence;
  // On a holiday, or in a shrinking shop, fewer orders are expected: in proportion to the pace of the latest ones.
  const level = Math.min(1, LATELY_ORDERS / Math.max(1, expectedLately));
  if (ms < MIN_SILENCE_MS || expected * level < MIN_EXPECTED) return null;
  return `has taken no order for ${duration(ms, 2)}, in which about ${grouped(expected)} are usual. Check that its checkout works`;
}

/** During a first load all rejections are new. */
function findRejections({ earlierRejections, isLoaded, newRejections, shopKey }: AlertFacts): Finding {
  if (!isLoaded) return undefined;
  const isRising =
    newRejections >= MIN_NEW_REJECTIONS && newRejections > (REJECTIONS_FACTOR * earlierRejections) / 7;
  if (!isRising) return null;
  return (
    `has ${newRejections} rejections that are less than a day old, compared with ${Math.round(earlierRejections / 7)} a day ` +
    `before. ${nextStep('list rejections', { shop: shopKey })} lists what could not be read; the rest of the records is loaded`
  );
}

function minuteText(at: Temporal.Instant): string {
  return at
    .toString({ smallestUnit: 'minute', roundingMode: 'floor' })
    .replace('T', ' ')
    .replace('Z', ' UTC');
}
