import { expect, test } from 'vitest';

import type { WindowReading } from '../../../../src/shop-api/paging/window-reading.ts';
import { Effort } from '../../../../src/sync/sweep/orders/effort.ts';

const PAGE = { rows: [], malformed: [], received: 0, keys: [], isKeyed: false, total: undefined };
const NOON = Temporal.PlainDateTime.from('2026-03-10T12:00');
const PART = { from: NOON, to: NOON.add({ hours: 1 }) };

/** What becomes of parts of a day of which each takes so many requests. */
async function judgeParts(
  requests: number,
  parts: readonly WindowReading[],
  { minutes = 60, received = 0, start = 0 } = {},
): Promise<readonly WindowReading[]> {
  const effort = new Effort({ listOrders: () => Promise.resolve({ ...PAGE, received }) });
  const judged: WindowReading[] = [];
  for (const part of parts) {
    for (let count = 0; count < requests; count++) await effort.api.listOrders({ start });
    judged.push(effort.judge(PART, minutes, part, 20));
  }
  return judged;
}

const CUT: WindowReading = { kind: 'cut', sample: [NOON], total: undefined, why: 'the answers differ' };
const kinds = (readings: readonly WindowReading[]) => readings.map(({ kind }) => kind);

test('a day that nothing proves is given up after as many requests as fit what was listed', async () => {
  const judged = await judgeParts(26, [CUT, CUT, CUT, CUT], { received: 2 });
  expect(kinds(judged)).toEqual(['cut', 'cut', 'unproven', 'cut']);
  expect(judged[2]).toMatchObject({
    reason: '78 list requests did not prove the orders of 2026-03-10 complete: the answers differ',
  });
  for (const listed of [{ received: 80 }, { start: 60, received: 20 }])
    expect(kinds(await judgeParts(26, [CUT, CUT, CUT], listed))).not.toContain('unproven');
});

test('a part that is proven starts the count again, and a long window is narrowed without one', async () => {
  const { from } = PART;
  const whole = { kind: 'whole', window: { from, to: from }, rows: [], others: [], malformed: [] } as const;
  const proven = { ...whole, isOldest: false, isUndated: false, total: 0, askedAt: Temporal.Now.instant() };
  expect(kinds(await judgeParts(50, [CUT, proven, CUT, proven, CUT]))).toEqual([
    'cut',
    'whole',
    'cut',
    'whole',
    'cut',
  ]);
  const long = await judgeParts(50, [CUT, CUT, CUT], { minutes: 3_000 });
  expect(kinds(long)).toEqual(['cut', 'cut', 'cut']);
});

test('the search for what a shop fails at is not in vain', async () => {
  const fault: WindowReading = { ...CUT, isFault: true };
  expect(kinds(await judgeParts(50, [fault, fault, CUT]))).toEqual(['cut', 'cut', 'cut']);
  expect(kinds(await judgeParts(50, [CUT, CUT]))).toEqual(['cut', 'unproven']);
});
