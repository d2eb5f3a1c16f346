import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';

import {
  announceDay,
  makeDue,
  markVerified,
  readLedger,
  readUnverified,
  recordDayFailure,
} from '../../../src/warehouse/ops/ledger.ts';
import { at } from '../../support/rows.ts';
import { fileWarehouse } from '../test-warehouse.ts';

const warehouse = fileWarehouse();
let shopId: number;
beforeEach(async () => {
  shopId = await warehouse.newShop();
});

const day = (text: string) => Temporal.PlainDate.from(text);
const [NOON, LATER] = [at('2026-03-05T12:00:00.123456Z'), at('2026-03-05T13:00:00Z')];

const verify = (text: string, verifiedAt = NOON, orders = 3) =>
  warehouse.write((tx) => markVerified(tx, shopId, [{ day: text, verifiedAt, orders }]));
const fail = (texts: readonly string[], reason: string) =>
  warehouse.write((tx) =>
    recordDayFailure(tx, shopId, texts, reason, (before) => ({
      attempts: before + 1,
      retryAt: undefined,
    })),
  );
const read = () => readLedger(warehouse.db, shopId, LATER);
const row = async (text: string) => {
  const [found] = await warehouse.rows(sql`
    SELECT verified_at, last_verified_at, orders_seen, attempts, last_error, xmin FROM ops.days
    WHERE shop_id = ${shopId} AND day = ${text}`);
  return found;
};

test('a verification is read back to the microsecond, oldest day first', async () => {
  for (const text of ['2026-03-02', '1970-01-01', '2026-03-03', '2026-02-28']) await verify(text);
  expect(await read()).toEqual(
    ['1970-01-01', '2026-02-28', '2026-03-02', '2026-03-03'].map((text) => {
      return { day: day(text), verifiedAt: NOON, isDue: false, orders: 3 };
    }),
  );
});

test('the ledger says which days are due, each by the rule for its age in the zone of the shop', async () => {
  // It is the 6th in the shop.
  const at = Temporal.Instant.from('2026-03-05T23:30:00Z');
  const verifiedAt = at.subtract({ hours: 1 });
  for (const text of ['2026-03-03', '2026-03-04', '2026-03-06']) await verify(text, verifiedAt);
  const freshness = [
    { younger_than_days: 1, target_seconds: 3_601 },
    { younger_than_days: 3, target_seconds: 3_600 },
    { younger_than_days: null, target_seconds: 86_400 },
  ];
  const due = async (instant: Temporal.Instant) =>
    (await readLedger(warehouse.db, shopId, instant, freshness)).map(({ isDue }) => isDue);
  expect(await due(at)).toEqual([false, true, false]);
  expect(await due(at.add({ seconds: 1 }))).toEqual([false, true, true]);
});

test('a day gets one row, and is made due only if it is in the ledger', async () => {
  await verify('2026-03-01');
  await warehouse.write((tx) => announceDay(tx, shopId, day('2026-02-28')));
  await warehouse.write((tx) => announceDay(tx, shopId, day('2026-03-01')));
  expect((await read()).map(({ verifiedAt }) => verifiedAt)).toEqual([undefined, NOON]);
  await warehouse.write((tx) => makeDue(tx, shopId, ['2026-03-01', '2026-03-02']));
  expect((await read()).map(({ verifiedAt }) => verifiedAt)).toEqual([undefined, undefined]);
});

test('a day without a row is made due by the row that covers it', async () => {
  for (const known of ['2026-02-20', '2026-03-01', '2026-03-02']) await verify(known);
  await warehouse.write((tx) => makeDue(tx, shopId, ['2026-02-25', '2026-02-25', '2026-03-05']));
  const due = (await read()).filter(({ verifiedAt }) => verifiedAt === undefined);
  expect(due.map((each) => each.day.toString())).toEqual(['2026-03-01']);
  await warehouse.write((tx) => makeDue(tx, shopId, ['2026-02-01']));
  expect((await read())[0]?.verifiedAt).toBeUndefined();
});

test('a failed day records the attempt and the reason, and stays unverified', async () => {
  await fail(['2026-03-01', '2026-03-02', '2026-03-01'], 'the list moved');
  await fail(['2026-03-01'], 'the list moved again');
  expect(await row('2026-03-01')).toMatchObject({
    verified_at: null,
    attempts: 2,
    last_error: 'the list moved again',
  });
  expect(await row('2026-03-02')).toMatchObject({
    verified_at: null,
    attempts: 1,
    last_error: 'the list moved',
  });
  expect(await read()).toContainEqual({
    day: day('2026-03-02'),
    failure: { reason: expect.any(String), retryAt: undefined },
    verifiedAt: undefined,
    isDue: true,
    orders: undefined,
  });
});

test('a failure clears the verification but neither its count nor when it was, and the next verification clears the failure', async () => {
  await verify('2026-03-01');
  await fail(['2026-03-01'], 'the list moved');
  expect(await row('2026-03-01')).toMatchObject({
    verified_at: null,
    last_verified_at: '2026-03-05 12:00:00.123456+00',
    orders_seen: 3,
    attempts: 1,
  });
  await verify('2026-03-01', LATER);
  expect(await row('2026-03-01')).toMatchObject({
    verified_at: '2026-03-05 13:00:00+00',
    attempts: 0,
    last_error: null,
  });
});

test('days that fail together are retried as late as the one that failed most often', async () => {
  for (const often of ['2026-03-01', '2026-03-02', '2026-03-03']) {
    await fail([often], 'the list moved');
    await fail(['2026-03-01', '2026-03-02', '2026-03-03'], 'the list moved');
    const attempts = ['2026-03-01', '2026-03-02', '2026-03-03'].map(
      async (text) => (await row(text))?.['attempts'],
    );
    const [first, second, third] = await Promise.all(attempts);
    expect([second, third]).toEqual([first, first]);
  }
  expect(await row('2026-03-01')).toMatchObject({ attempts: 6 });
});

test('attempts stop at the maximum of the column', async () => {
  await fail(['2026-03-01'], 'no luck');
  await warehouse.rows(sql`UPDATE ops.days SET attempts = 32766 WHERE shop_id = ${shopId}`);
  for (let time = 0; time < 3; time += 1) await fail(['2026-03-01'], 'no luck');
  expect(await row('2026-03-01')).toMatchObject({ attempts: 32_767 });
});

test('the same verification again, or no days, write nothing', async () => {
  await verify('2026-03-01');
  const before = await row('2026-03-01');
  await verify('2026-03-01');
  await fail([], 'nothing');
  expect(await row('2026-03-01')).toEqual(before);
});

test("changes of a shop's days do not affect those of other shops", async () => {
  const other = shopId;
  await verify('2026-02-01');
  await verify('2026-03-01');
  const before = await read();
  shopId = await warehouse.newShop();
  await verify('2026-02-10');
  await verify('2026-03-01');
  await fail(['2026-02-20'], 'the list moved');
  await warehouse.write((tx) => makeDue(tx, shopId, ['2026-02-01', '2026-03-01']));
  expect(await readLedger(warehouse.db, other, LATER)).toEqual(before);
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
