import { expect, test } from 'vitest';

import type { ListRow } from '../../../../src/shop-api/endpoints/list-orders.ts';
import type { WindowReading } from '../../../../src/shop-api/paging/window-reading.ts';
import { Effort } from '../../../../src/sync/sweep/orders/effort.ts';

const PAGE = { rows: [], malformed: [], received: 0, keys: [], isKeyed: false, total: undefined };
const NOON = Temporal.PlainDateTime.from('2026-03-10T12:00');
const PART = { from: NOON, to: NOON.add({ hours: 1 }) };
const row = (orderId: string): ListRow => ({ orderId, raw: { order_id: orderId } });

/** What becomes of parts of a day of which each takes so many requests. */
async function judgeParts(
  requests: number,
  parts: readonly WindowReading[],
  minutes = 60,
): Promise<readonly WindowReading[]> {
  const effort = new Effort({ listOrders: () => Promise.resolve(PAGE) });
  const judged: WindowReading[] = [];
  for (const part of parts) {
    for (let count = 0; count < requests; count++) await effort.api.listOrders({});
    judged.push(effort.judge(PART, minutes, part, 20));
  }
  return judged;
}

const cut = (...ids: readonly string[]): WindowReading => ({
  kind: 'cut',
  sample: [NOON],
  total: undefined,
  rows: ids.map(row),
  why: 'the answers differ',
});
const kinds = (readings: readonly WindowReading[]) => readings.map(({ kind }) => kind);

test('a day that nothing proves is given up after as many requests as fit what was listed, and what was seen of it is loaded', async () => {
  const judged = await judgeParts(26, [cut('1', '2'), cut('2'), cut('3'), cut('4')]);
  expect(kinds(judged)).toEqual(['cut', 'cut', 'unproven', 'cut']);
  expect(judged[2]).toMatchObject({
    reason: '78 list requests did not prove the orders of 2026-03-10 complete: the answers differ',
    rows: ['1', '2', '2', '3'].map(row),
  });
});

test('a part that is proven starts the count again, and a long window is narrowed without one', async () => {
  const { from } = PART;
  const whole = { kind: 'whole', window: { from, to: from }, rows: [], others: [], malformed: [] } as const;
  const proven = { ...whole, isOldest: false, isUndated: false, total: 0, askedAt: Temporal.Now.instant() };
  expect(kinds(await judgeParts(50, [cut(), proven, cut(), proven, cut()]))).toEqual([
    'cut',
    'whole',
    'cut',
    'whole',
    'cut',
  ]);
  expect(kinds(await judgeParts(50, [cut(), cut(), cut()], 3_000))).toEqual(['cut', 'cut', 'cut']);
});
