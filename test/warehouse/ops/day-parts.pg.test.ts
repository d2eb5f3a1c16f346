/** What a ledger keeps of a day that was read in part. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

import {
  dropParts,
  makeDue,
  markVerified,
  readLedger,
  readMoves,
  readUnverified,
  recordDayFailure,
  savePart,
} from '../../../src/warehouse/ops/ledger.ts';
import { loadOrders } from '../../../src/warehouse/orders/load-orders.ts';
import { clearMissing, markDeleted, markMissing } from '../../../src/warehouse/orders/missing-marks.ts';
import { at, orderToLoad } from '../../support/rows.ts';
import { openTestWarehouse, type TestWarehouse } from '../test-warehouse.ts';

let warehouse: TestWarehouse;
let shopId: number;
beforeAll(async () => {
  warehouse = await openTestWarehouse();
});
afterAll(() => warehouse[Symbol.asyncDispose]());
beforeEach(async () => {
  shopId = await warehouse.newShop();
});

const day = (text: string) => Temporal.PlainDate.from(text);
const NOON = at('2026-03-05T12:00:00.123456Z');

const verify = (text: string) =>
  warehouse.write((tx) => markVerified(tx, shopId, [{ day: text, verifiedAt: NOON, orders: 3 }]));
const fail = (texts: readonly string[], reason: string) =>
  warehouse.write((tx) =>
    recordDayFailure(tx, shopId, texts, reason, (before) => ({
      attempts: before + 1,
      retryAt: undefined,
    })),
  );
const read = () => readLedger(warehouse.db, shopId, NOON);
const begun = {
  readFrom: Temporal.PlainDateTime.from('2026-03-01T15:30'),
  since: NOON,
  orders: 2,
  moves: 3,
};
const save = () => warehouse.write((tx) => savePart(tx, shopId, '2026-03-01', begun));
const savedPart = async () => (await read())[0]?.part;

test('a saved part survives failures, until the day is verified, made due or restarted', async () => {
  await save();
  expect(await savedPart()).toEqual(begun);
  await fail(['2026-03-01'], 'a part could not be read');
  expect(await savedPart()).toMatchObject(begun);
  await verify('2026-03-01');
  expect(await savedPart()).toBeUndefined();
  for (const end of [makeDue, dropParts]) {
    await save();
    await warehouse.write((tx) => end(tx, shopId, ['2026-03-01']));
    expect(await savedPart()).toBeUndefined();
  }
});

test('of a part whose day was not known when it was asked for, no number of moves is known either', async () => {
  const unknown = { ...begun, moves: undefined };
  await warehouse.write((tx) => savePart(tx, shopId, '2026-03-01', unknown));
  expect(await savedPart()).toEqual(unknown);
});

test("what is done to a shop's days leaves those of other shops alone", async () => {
  const other = shopId;
  await verify('2026-02-01');
  await verify('2026-03-01');
  await save();
  const before = await read();
  shopId = await warehouse.newShop();
  await verify('2026-02-10');
  await verify('2026-03-01');
  await save();
  await fail(['2026-02-20'], 'the list moved');
  for (const end of [makeDue, dropParts]) {
    await warehouse.write((tx) => end(tx, shopId, ['2026-02-01', '2026-03-01']));
  }
  expect(await readLedger(warehouse.db, other, NOON)).toEqual(before);
  expect(await readUnverified(warehouse.db, shopId)).toEqual({
    // With it, all before it is.
    first: { day: day('2026-02-10'), isVerified: false },
    unverified: [day('2026-02-10'), day('2026-02-20'), day('2026-03-01')],
  });
  expect(await readUnverified(warehouse.db, other)).toEqual({
    first: { day: day('2026-02-01'), isVerified: true },
    unverified: [],
  });
});

test('a day counts every order that comes, leaves or moves within it, and nothing else', async () => {
  const days = ['2026-02-28', '2026-03-01', '2026-03-02'];
  for (const text of days) await verify(text);
  const moves = async () => {
    const present = await warehouse.write((tx) => readMoves(tx, shopId, days));
    return days.map((text) => present.get(text));
  };
  const load = (orderId: string, createdLocal: string | null, sum = '1.00') =>
    warehouse.write((tx) =>
      loadOrders(tx, shopId, [
        orderToLoad(orderId, {
          row: {
            created_local: createdLocal,
            created_on: createdLocal?.slice(0, 10) ?? null,
            order_sum: sum,
          },
        }),
      ]),
    );
  await load('1', '2026-03-01T00:00:00');
  expect(await moves()).toEqual([0, 1, 0]);
  await load('1', '2026-03-01T00:00:00', '2.00');
  expect(await moves()).toEqual([0, 1, 0]);
  await load('1', '2026-03-01T23:59:00');
  expect(await moves()).toEqual([0, 2, 0]);
  await load('1', '2026-03-02T00:00:00');
  expect(await moves()).toEqual([0, 3, 1]);
  await load('1', null);
  expect(await moves()).toEqual([0, 3, 2]);
  await load('1', '2026-02-28T12:00:00');
  expect(await moves()).toEqual([1, 3, 2]);
  for (const mark of ['first', 'again']) {
    await warehouse.write((tx) => markMissing(tx, shopId, ['1'], NOON));
    expect([mark, await moves()]).toEqual([mark, [2, 3, 2]]);
  }
  await warehouse.write((tx) => markDeleted(tx, shopId, ['1'], NOON));
  expect(await moves()).toEqual([2, 3, 2]);
  await warehouse.write((tx) => clearMissing(tx, shopId, ['1', '2']));
  expect(await moves()).toEqual([3, 3, 2]);
  await warehouse.write((tx) => markMissing(tx, shopId, ['1'], NOON));
  await load('1', '2026-02-28T12:00:00');
  expect(await moves()).toEqual([5, 3, 2]);
});

test('a day without a row counts nothing, and gets none by it', async () => {
  await warehouse.write((tx) => loadOrders(tx, shopId, [orderToLoad('1')]));
  expect(await read()).toEqual([]);
  expect(await warehouse.write((tx) => readMoves(tx, shopId, ['2026-03-01']))).toEqual(new Map());
});
