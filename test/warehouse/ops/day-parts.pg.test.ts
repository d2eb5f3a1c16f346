/** What a ledger keeps of a day that was read in part. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

import {
  dropParts,
  makeDue,
  markVerified,
  readHeldDigest,
  readLedger,
  readUnverified,
  recordDayFailure,
  savePart,
} from '../../../src/warehouse/ops/ledger.ts';
import { loadOrders } from '../../../src/warehouse/orders/load-orders.ts';
import { markMissing } from '../../../src/warehouse/orders/missing-marks.ts';
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
  warehouse.write((tx) =>
    markVerified(tx, shopId, [{ day: text, verifiedAt: NOON, orders: 3, isChanged: false }]),
  );
const fail = (texts: readonly string[], reason: string) =>
  warehouse.write((tx) => recordDayFailure(tx, shopId, texts.map(day), reason));
const read = () => readLedger(warehouse.db, shopId);
const begun = {
  readFrom: Temporal.PlainDateTime.from('2026-03-01T15:30'),
  since: NOON,
  orders: 2,
  isRestless: false,
};
const save = () => warehouse.write((tx) => savePart(tx, shopId, '2026-03-01', begun));
const savedPart = async () => (await read())[0]?.part;

test('a saved part survives failures, until the day is verified, made due or restarted', async () => {
  await save();
  expect(await savedPart()).toEqual({ ...begun, held: '0:0' });
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
  expect(await readLedger(warehouse.db, other)).toEqual(before);
  expect(await readUnverified(warehouse.db, shopId)).toEqual({
    first: { day: day('2026-02-10'), isVerified: true },
    unverified: [day('2026-02-20'), day('2026-03-01')],
  });
  expect(await readUnverified(warehouse.db, other)).toEqual({
    first: { day: day('2026-02-01'), isVerified: true },
    unverified: [],
  });
});

test('the digest of a day changes with its live orders and their minutes, and with nothing else', async () => {
  const digest = () => readHeldDigest(warehouse.db, shopId, '2026-03-01');
  const load = (orderId: string, createdLocal: string, sum = '1.00') =>
    warehouse.write((tx) =>
      loadOrders(tx, shopId, [
        orderToLoad(orderId, {
          row: { created_local: createdLocal, created_on: createdLocal.slice(0, 10), order_sum: sum },
        }),
      ]),
    );
  const seen = [await digest()];
  const expectChange = async (isChanged: boolean) => {
    const now = await digest();
    expect(now !== seen.at(-1)).toBe(isChanged);
    seen.push(now);
  };
  await load('1', '2026-03-01T00:00:00');
  await expectChange(true);
  await load('2', '2026-03-01T23:59:00');
  await expectChange(true);
  for (const time of ['2026-02-28T23:59:00', '2026-03-02T00:00:00']) {
    await load(`${seen.length}0`, time);
    await expectChange(false);
  }
  await load('2', '2026-03-01T23:59:00', '2.00');
  await expectChange(false);
  await load('2', '2026-03-01T23:58:00');
  await expectChange(true);
  await warehouse.write((tx) => markMissing(tx, shopId, ['1'], NOON));
  await expectChange(true);
  expect(new Set(seen).size).toBe(5);
});
