/** Each cause as it comes up in the warehouse, and as it ends. */
import { sql } from 'drizzle-orm';
import { Client } from 'pg';
import { expect, vi } from 'vitest';

import type { Db } from '../../../src/warehouse/db/database.ts';
import { testedShopId } from '../../support/sweep.ts';
import { recordCrashes } from '../../../src/warehouse/ops/alerts.ts';
import { readAlertFacts } from '../../../src/warehouse/reports/alert-facts.ts';
import { settleAlerts } from '../../../src/worker/alerts/deliver-alerts.ts';
import { answerBytes } from '../../support/fault-proxy-http.ts';
import { type Act, LISTS } from '../../support/fault-proxy.ts';
import { openTestWarehouse } from '../../warehouse/test-warehouse.ts';

import { quiet } from '../../support/impatient-shop.ts';
import { brief, NOW, rewritten, test, withLoadedShop } from './loaded-shop.ts';
import { longTest } from '../../support/long-test.ts';

test('refused credentials raise an alert after one sweep, and only one', async ({
  story: { simulator, sweep, told },
}) => {
  simulator.faults.failNext(1_000, 'http-401');
  await sweep();
  const [note, ...others] = await told();
  expect(note).toMatchObject({
    cause: 'credentials',
    event: 'raised',
    text: expect.stringMatching(/shop test refuses the login: .*check both/),
  });
  expect(others).toEqual([]);
  for (let times = 0; times < 3; times++) await sweep();
  expect(await told(), 'nor as failing').toEqual([]);
  simulator.faults.clear();
  await sweep();
  expect((await told()).map(brief)).toEqual(['credentials recovered']);
});

test('three failed sweeps raise an alert with the reason; a sweep without a recorded run ends it', async ({
  story: { client, simulator, sweep, told },
}) => {
  simulator.faults.failNext(1_000_000, 'http-500');
  await sweep();
  await sweep();
  expect(await told()).toEqual([]);
  await sweep();
  expect(await told()).toMatchObject([
    { cause: 'failing', text: expect.stringContaining('the shop answered HTTP 500') },
  ]);
  // Of a sweep that finds nothing, the state alone remains.
  await client.query(`UPDATE tested.runs SET started_at = '2026-03-10T12:00:30Z' WHERE status = 'failed'`);
  await client.query(`UPDATE tested.shop_state SET completed_at = '2026-03-10T12:01:00Z'`);
  expect((await told()).map(brief)).toEqual(['failing recovered']);
}, 600_000);

test('orders not verified for twice their target raise an alert, which ends when they are verified', async ({
  story: { clock, sweep, told },
}) => {
  clock.pass({ minutes: 8 });
  expect(await told()).toEqual([]);
  clock.pass({ minutes: 1 });
  expect(await told()).toMatchObject([
    { cause: 'stale', text: expect.stringContaining('compared with the shop at 2026-03-10 12:00 UTC') },
  ]);
  expect(await told()).toEqual([]);
  await sweep();
  expect((await told()).map(brief)).toEqual(['stale recovered']);
});

longTest(
  'one bad sweep is no stale shop; after ten minutes of them it is, for the reason that they give',
  async () => {
    await withLoadedShop(async ({ clock, proxy, simulator, sweep, told }) => {
      const newest = simulator.shop
        .orders()
        .toSorted((a, b) => a.orderId - b.orderId)
        .at(-1)?.orderId;
      const act = rewritten((text) =>
        text.replace(new RegExp(`\\{"order_id":"?${newest}"?,.*?\\}(,|(?=\\]))`, 's'), ''),
      );
      proxy.plan({ path: LISTS, times: 100_000, act });
      await sweep();
      expect(await told()).toEqual([]);
      clock.pass({ minutes: 9 });
      await sweep();
      const [note, ...others] = await told();
      expect(note).toMatchObject({ cause: 'stale', text: expect.not.stringContaining('worker') });
      expect(note?.text).toMatch(
        /2026-03-10 12:00 UTC, and its target is \d+ min: 1 order was not listed, but the shop still serves/,
      );
      expect(others).toEqual([]);
      proxy.heal();
      await sweep();
      expect((await told()).map(brief)).toEqual(['stale recovered']);
    });
  },
);

test.for([
  {
    list: 'no orders at all',
    cause: 'deletions',
    change: (text: string) => text.replace(/"orders":.*\]/s, '"orders":[]'),
    says: /no orders at all/,
  },
  {
    list: 'rows without an order_id',
    cause: 'drift',
    change: (text: string) => text.replaceAll('"order_id"', '"number"'),
    says: /usable order_id/,
  },
])('a list with $list raises $cause at once, and not stale', async (given, { story }) => {
  const { clock, proxy, sweep, told } = story;
  const { cause, change, says } = given;
  proxy.plan({ path: LISTS, times: 100_000, act: rewritten(change) });
  await sweep();
  expect(await told()).toMatchObject([{ cause, text: expect.stringMatching(says) }]);
  clock.pass({ minutes: 30 });
  await sweep();
  expect(await told()).toEqual([]);
  proxy.heal();
  await sweep();
  expect((await told()).map(brief)).toEqual([`${cause} recovered`]);
});

longTest('a new day counts from its midnight, however late the day before was verified', async () => {
  await withLoadedShop(async ({ client, clock, told }) => {
    // Midnight in Berlin is 23:00 UTC.
    clock.pass({ hours: 11, minutes: 5 });
    await client.query(`UPDATE tested.days SET last_verified_at = '2026-03-10T23:05:00Z'`);
    expect(await told(), '23:06:30').toEqual([]);
    clock.pass({ minutes: 3 });
    expect(await told(), '23:10:00').toEqual([]);
    expect((await told()).map(brief), '23:10:30').toEqual(['stale raised']);
  });
});

test('a mass deletion raises an alert until it is accepted', async ({
  story: { client, simulator, sweep, told },
}) => {
  const { shop } = simulator;
  const gone = shop.orders().slice(0, 40);
  for (const { orderId } of gone) shop.refuse('order', orderId);
  for (const { orderId } of gone) shop.deleteOrder(orderId);
  await sweep();
  expect(await told()).toMatchObject([
    {
      cause: 'deletions',
      text: expect.stringMatching(/has unconfirmed deletions: \d+ of \d+ orders disappeared/),
    },
  ]);
  const other = Temporal.PlainDate.from('2026-01-05');
  await sweep({ from: other, to: other });
  expect(await told(), 'a sweep of other days says nothing of it').toEqual([]);
  shop.deleteOrder(shop.orders()[0]?.orderId ?? 0);
  await sweep();
  expect(await told()).toEqual([]);
  const { rows } = await client.query(`SELECT findings ->> 'deletions' AS detail FROM tested.shop_state`);
  expect(rows, 'what is shown is what was found last').toMatchObject([
    { detail: expect.stringContaining(`${gone.length + 1} of `) },
  ]);
  await sweep({ acceptMissing: true });
  expect((await told()).map(brief)).toEqual(['deletions recovered']);
});

test('a wrong time zone raises an alert with the westernmost offset that fits', async ({
  story: { client, simulator, sweep, told },
}) => {
  simulator.shop.insertOrder({
    createdLocal: NOW.toZonedDateTimeISO('Asia/Vladivostok').toPlainDateTime(),
  });
  await sweep();
  expect(await told()).toMatchObject([
    { cause: 'clock', text: expect.stringContaining('UTC+10:00 or one east of it') },
  ]);
  await client.query(
    `UPDATE tested.orders SET created_local = '2026-03-10 10:00' WHERE created_local > '2026-03-10 15:00'`,
  );
  await sweep();
  expect((await told()).map(brief)).toEqual(['clock recovered']);
});

test('an undocumented field that appears after the first load raises an alert for a day; one known from the start does not', async ({
  story: { client, clock, simulator, sweep, told },
}) => {
  const [first, second] = simulator.shop.orders();
  simulator.shop.setRaw(first?.orderId ?? 0, { vat_rate: '20', 'a@b.example': 1 });
  // No order had these documented ones before.
  await client.query(`DELETE FROM tested.payload_fields WHERE field IN ('weight', 'articul', 'source')`);
  await sweep();
  // Fields are seen by the database's clock.
  await client.query(`UPDATE tested.payload_fields SET first_seen_at = $1`, [clock.now().toString()]);
  expect(await told()).toMatchObject([
    {
      cause: 'drift',
      text: expect.stringMatching(
        /new fields: vat_rate\. If persons are stored, core\.order_persons keeps these fields/,
      ),
    },
  ]);
  simulator.shop.setRaw(second?.orderId ?? 0, { vat_rate: '10' });
  clock.pass({ hours: 24 });
  await sweep();
  expect((await told()).map(brief)).toEqual(['drift recovered']);
});

test('a changed API raises drift, not failing', async ({ story: { proxy, sweep, told } }) => {
  const body = Buffer.from('{"orders":7}');
  const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
  const act: Act = ({ socket }) => void socket.write(answerBytes({ status: 200, headers, body }));
  proxy.plan({ path: LISTS, times: 1_000, act });
  for (let times = 0; times < 3; times++) await sweep();
  expect(await told()).toMatchObject([
    { cause: 'drift', text: expect.stringMatching(/changed its API: .*not of the documented shape/) },
  ]);
  proxy.heal();
  await sweep();
  expect((await told()).map(brief)).toEqual(['drift recovered']);
});

test('sweeps in which workers die raise an alert until one ends', async ({
  story: { client, db, sweep, told },
}) => {
  await recordCrashes(db, await testedShopId(db), 'workers died');
  expect((await told()).map(brief)).toEqual(['crashes raised']);
  await sweep();
  expect((await told()).map(brief)).toEqual(['crashes recovered']);
  const over = async () => (await client.query('SELECT recovered_at, closed_at FROM tested.alerts')).rows;
  const before = await over();
  await told();
  expect(await over(), 'when it was over does not move').toEqual(before);
});

test('a worker that was down sweeps the shops before it calls them stale', async ({
  story: { db, clock },
}) => {
  clock.pass({ hours: 3 });
  let isWarm = false;
  const context = { db, logger: quiet, now: clock.now, isWarmingUp: () => !isWarm };
  await settleAlerts(context);
  expect(await countAlerts(db)).toBe(0);
  await recordCrashes(db, await testedShopId(db), 'workers died');
  await settleAlerts(context);
  expect(await countAlerts(db), 'other causes are told at once').toBe(1);
  isWarm = true;
  await settleAlerts(context);
  expect(await countAlerts(db)).toBe(2);
});

async function countAlerts(db: Db): Promise<unknown> {
  const { rows } = await db.execute(sql`SELECT count(*)::int AS count FROM tested.alerts`);
  return rows[0]?.['count'];
}

test('two hundred shops are judged by as many statements as one', async () => {
  await using warehouse = await openTestWarehouse();
  const sent = vi.spyOn(Client.prototype, 'query');
  const statements = async () => {
    sent.mockClear();
    await settleAlerts({ db: warehouse.db, logger: quiet, now: () => NOW });
    return sent.mock.calls.length;
  };
  try {
    await warehouse.newShop();
    const one = await statements();
    await warehouse.db.execute(sql`
      INSERT INTO tested.shops (shop_key, base_url, timezone)
      SELECT 'many-' || n, 'https://shop.example', 'Europe/Berlin' FROM generate_series(1, 199) n`);
    await warehouse.db.execute(sql`
      INSERT INTO tested.shop_state (shop_id, freshness, normalizer_version, findings)
      SELECT shop_id, '[]', 1, '{"clock": "wrong"}' FROM tested.shops
      ON CONFLICT (shop_id) DO UPDATE SET findings = excluded.findings`);
    expect(await readAlertFacts(warehouse.db, NOW)).toHaveLength(200);
    expect(await statements()).toBe(one);
    expect(await countAlerts(warehouse.db)).toBe(200);
  } finally {
    sent.mockRestore();
  }
});

test('a shop without new orders raises an alert, which ends with the next order', async ({
  story: { clock, simulator, sweep, told },
}) => {
  const localNow = () => clock.now().toZonedDateTimeISO('Europe/Berlin').toPlainDateTime();
  const silentFor = async (hours: number) => {
    clock.pass({ hours });
    await sweep();
    return (await told()).filter(({ cause }) => cause === 'silent');
  };
  // Twenty a day, of which the newest is an hour old.
  for (let minutes = 60; minutes < 56 * 1440; minutes += 72) {
    simulator.shop.insertOrder({ createdLocal: localNow().subtract({ minutes }) });
  }
  // One that is dated ahead is no sign that orders come.
  simulator.shop.insertOrder({ createdLocal: localNow().add({ days: 30 }) });
  expect(await silentFor(44)).toEqual([]);
  const [note, ...others] = await silentFor(8);
  expect(others).toEqual([]);
  expect(note).toMatchObject({
    event: 'raised',
    text: expect.stringMatching(/has taken no order for 2 d \d h, in which about 4\d are usual/),
  });
  simulator.shop.insertOrder({ createdLocal: localNow().subtract({ minutes: 5 }) });
  expect((await silentFor(0)).map(brief)).toEqual(['silent recovered']);
});
