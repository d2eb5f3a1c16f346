import { describe, expect, test } from 'vitest';

import { ALERT_CAUSES, type AlertCause, type AlertFacts } from '../../../src/model/alert-facts.ts';
import { alertText, judgeShop, recoveryText } from '../../../src/plan/alerts/alert-causes.ts';
import { HEALTHY, NOW } from './healthy-shop.ts';

const ago = (duration: Temporal.DurationLike) => NOW.subtract(duration);

/** What becomes of a cause: told, over, or left as it was. */
function verdictOn(cause: AlertCause, facts: Partial<AlertFacts>): string | undefined {
  const verdict = judgeShop({ ...HEALTHY, ...facts }, NOW).find((judged) => judged.cause === cause);
  if (verdict === undefined) return 'unknown';
  return verdict.finding === undefined ? 'over' : alertText('north', verdict.finding);
}

test('nothing is wrong with a healthy shop, and everything is known', () => {
  expect(judgeShop(HEALTHY, NOW)).toEqual(ALERT_CAUSES.map((cause) => ({ cause, finding: undefined })));
});

test('three failed sweeps in a row raise an alert with the reason; two do not', () => {
  expect(verdictOn('failing', { failures: 2, lastError: 'HTTP 500' })).toBe('over');
  expect(verdictOn('failing', { failures: 3, lastError: 'HTTP 500' })).toBe(
    'order-sync: shop north could not be swept 3 times in a row: HTTP 500. It is tried again; order-sync check --shop north tests it now.',
  );
  expect(verdictOn('failing', { failures: 3 })).toContain('3 times in a row. It is tried again');
});

test.each(['credentials', 'drift'] as const)(
  'sweeps that fail because of %s raise no second alert',
  (cause) => {
    const facts = { failures: 3, findings: { [cause]: 'GET /orders: the reason' } };
    expect(verdictOn(cause, facts)).toContain('GET /orders: the reason');
    expect(verdictOn('failing', facts), 'nor over').toBe('unknown');
  },
);

describe('stale', () => {
  test.each([
    [{ minutes: 1 }, { minutes: 10 }, 'over'],
    [{ minutes: 1 }, { minutes: 10, seconds: 1 }, 'stale'],
    [{ minutes: 5 }, { minutes: 10, seconds: 1 }, 'stale'],
    [{ hours: 1 }, { hours: 2 }, 'over'],
    [{ hours: 1 }, { hours: 2, seconds: 1 }, 'stale'],
  ] as const)('target %o, verified %o ago: %s', (target, age, expected) => {
    const targetMs = Temporal.Duration.from(target).total('milliseconds');
    expect(verdictOn('stale', { targetMs, freshAt: ago(age) })).toContain(expected);
  });

  test('a shop in its first load is not judged', () => {
    expect(verdictOn('stale', { freshAt: undefined })).toBe('unknown');
    expect(verdictOn('stale', { targetMs: undefined })).toBe('unknown');
  });

  const freshAt = ago({ hours: 3 });

  test('the text says since when, how old they may be, and why', () => {
    expect(
      verdictOn('stale', { freshAt, openReason: 'its rows kept shifting', lastError: 'HTTP 500' }),
    ).toContain(
      'compared with the shop at 2026-03-10 09:00 UTC, and its target is 5 min: its rows kept shifting. Look',
    );
    expect(verdictOn('stale', { freshAt, lastError: 'HTTP 500' })).toContain('5 min: HTTP 500. Look');
    expect(verdictOn('stale', { freshAt })).not.toContain('worker');
    const lookedAt = ago({ minutes: 11 });
    expect(verdictOn('stale', { freshAt, lookedAt, openReason: 'its rows kept shifting' })).toContain(
      '5 min: the last sweep began at 2026-03-10 11:49 UTC, is a worker running? Look',
    );
  });

  test('stale days that another alert explains raise no second one, as long as sweeps run', () => {
    const explained: Partial<AlertFacts>[] = [
      { findings: { credentials: 'HTTP 401' } },
      { findings: { drift: 'no usable order_id' } },
      { findings: { deletions: 'no orders' }, openReason: 'no orders' },
    ];
    for (const facts of explained) {
      expect(verdictOn('stale', { freshAt, ...facts })).toBe('unknown');
      expect(verdictOn('stale', { freshAt, ...facts, lookedAt: freshAt })).toContain('is a worker running');
    }
    expect(verdictOn('stale', { freshAt, findings: { deletions: '40 of 60 on another day' } })).toContain(
      'stale',
    );
  });
});

test.each([
  [19, 0, 'over'],
  [20, 0, 'rejections'],
  [100, 350, 'over'],
  [101, 350, 'rejections'],
])('%i rejections in a day after %i in seven days: %s', (newRejections, earlierRejections, expected) => {
  expect(verdictOn('rejections', { newRejections, earlierRejections })).toContain(expected);
});

test('rejections of a first load are not rising', () => {
  expect(verdictOn('rejections', { newRejections: 1_000, isLoaded: false })).toBe('unknown');
});

test('a first load raises no alert about what it has not loaded yet, but about everything else', () => {
  const loading: AlertFacts = { ...HEALTHY, freshAt: undefined, isLoaded: false };
  expect(judgeShop(loading, NOW)).toEqual(
    ALERT_CAUSES.filter((cause) => cause !== 'stale' && cause !== 'rejections').map((cause) => ({
      cause,
      text: undefined,
    })),
  );
});

test('the text of rejections compares a day with those before, and says where to look', () => {
  expect(verdictOn('rejections', { newRejections: 101, earlierRejections: 340 })).toBe(
    'order-sync: shop north has 101 rejections that are less than a day old, compared with 49 a day before. ' +
      'order-sync rejections --shop north lists what could not be read; the rest of the records is loaded.',
  );
});

test('new fields are named, the first ten of them', () => {
  const newFields = Array.from({ length: 12 }, (_, index) => `field_${index}`);
  expect(verdictOn('drift', { newFields: ['tax'] })).toContain('new fields: tax. ');
  expect(verdictOn('drift', { newFields: newFields.slice(0, 10) })).toMatch(/: field_0, .*, field_9\. If/);
  expect(verdictOn('drift', { newFields })).toMatch(/: field_0, .*, field_9 and 2 more\./);
});

test.each(['deletions', 'clock', 'crashes'] as const)('%s are reported as the sweep found them', (cause) => {
  expect(verdictOn(cause, { findings: { [cause]: 'the very reason' } })).toMatch(
    /^order-sync: shop north .*the very reason.*\.$/,
  );
});

test('a recovery names the cause and how long the alert lasted', () => {
  const text = (lasted: Temporal.DurationLike) => recoveryText('failing', 'north', ago(lasted), NOW);
  expect(text({ seconds: 20 })).toBe(
    'order-sync: shop north is swept without failures again, 20 s after the alert.',
  );
  expect(text({ minutes: 1 })).toMatch(/, 1 min after the alert\.$/);
  expect(text({ minutes: 65 })).toMatch(/, 1 h 5 min after the alert\.$/);
  expect(text({ hours: 51, minutes: 2 })).toMatch(/, 2 d 3 h after the alert\.$/);
  for (const cause of ALERT_CAUSES) {
    expect(recoveryText(cause, 'north', NOW, NOW)).toMatch(/^order-sync: shop north \w.*( again| any more)/);
  }
});

test('a shop without sweeps says when its orders were last compared, and one whose sweeps fail to verify says so', () => {
  const freshAt = ago({ hours: 3 });
  expect(verdictOn('stale', { freshAt, lookedAt: undefined })).toContain(
    '5 min: the last sweep began at 2026-03-10 09:00 UTC, is a worker running? Look at order-sync status --shop north',
  );
  expect(verdictOn('stale', { freshAt })).toContain('5 min: sweeps start, but do not reach them. Look');
});

const HOURS_MS = 3_600_000;

test.each([
  ['a short one is none, however many orders are usual', { ms: 2 * HOURS_MS - 1, expected: 800 }, 'over'],
  ['one of two hours is, in a busy shop', { ms: 2 * HOURS_MS, expected: 800 }, 'about 800 are usual'],
  ['one in which forty orders are usual is', { ms: 90 * HOURS_MS, expected: 40 }, 'silent'],
  ['one in which fewer are is not', { ms: 90 * HOURS_MS, expected: 39.9 }, 'over'],
  ['after a rush it is judged as at any other time', { expected: 40, expectedLately: 10 }, 'silent'],
  ['while orders come half as fast it takes twice as long', { expected: 79, expectedLately: 60 }, 'over'],
  ['and is one then', { expected: 80, expectedLately: 60 }, 'silent'],
] as const)('silence: %s', (_, given, expected) => {
  const silence = { ms: 90 * HOURS_MS, expectedLately: 0, ...given };
  expect(verdictOn('silent', { silence })?.replace('has taken no order', 'is silent')).toContain(expected);
});

test('a silence is reported with its length and the expected orders, and a shop without orders has none', () => {
  expect(
    verdictOn('silent', { silence: { ms: 72 * HOURS_MS, expected: 60.4, expectedLately: 0 } }),
  ).toContain(
    'shop north has taken no order for 3 d, in which about 60 are usual. Check that its checkout works.',
  );
  expect(verdictOn('silent', { silence: undefined })).toBe('unknown');
});
