/** What the owner says of codes and order fields: on the command line, without psql. */
import { type SQL, sql } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';

import type { ShopApi } from '../../../../src/shop-api/shop-api.ts';
import { refreshSummaries } from '../../../../src/warehouse/ops/refresh-summaries.ts';
import { makeShopInProcess } from '../../../support/in-process-shop.ts';
import { createLogin } from '../../../support/login.ts';
import { runInProcess } from '../../../support/run-in-process.ts';
import { sweepOnce, withoutGroups } from '../../../support/sweep.ts';
import { forFile } from '../../../support/for-file.ts';
import { fileWarehouse } from '../../../warehouse/test-warehouse.ts';

const PERSON = 'Anna Weber';
/** Of the shop's orders one that is deleted, and counts nowhere. */
const DELETED = 40;

const warehouse = fileWarehouse();
const simulator = forFile(async () => makeShopInProcess({ orders: 41, days: 4, seed: 5 }));
beforeAll(async () => {
  const { shop } = simulator;
  for (const [at, { orderId }] of shop.orders().entries()) {
    const gift = { key: 'gift', value: at % 2 === 0 ? 'yes' : 'no', label: 'Gift' };
    const wish = { key: 'wish', value: `${PERSON} ${at}`, label: 'Wish' };
    const named = { key: PERSON, value: 'x', label: PERSON };
    const status =
      at < 3 || at === DELETED ? { status: 'W7', payStatus: 'B7' } : { status: at === 3 ? PERSON : 'C' };
    shop.editOrder(orderId, {
      ...status,
      fields: [gift, ...(at < 30 || at === DELETED ? [wish] : []), ...(at === 0 ? [named] : [])],
    });
  }
  await sweep();
  const { orderId = 0 } = shop.orders()[DELETED] ?? {};
  shop.deleteOrder(orderId);
  await warehouse.rows(sql`
    UPDATE tested.orders SET missing_since = now(), deleted_at = now() WHERE order_id = ${orderId}`);
  // Once a day, codes are counted by reading all orders.
  await warehouse.rows(sql`UPDATE tested.shop_figures SET surveyed_at = NULL`);
  await sweep();
});

async function sweep(through: (api: ShopApi) => ShopApi = (api) => api): Promise<void> {
  const request = { kind: 'backfill', force: true } as const;
  const all = (api: ShopApi) => withoutGroups(through(api));
  expect(await sweepOnce(simulator, warehouse.db, request, {}, { through: all })).toMatchObject({
    status: 'ok',
  });
}

/** Of the shop, unless another one is named. */
async function run(args: readonly string[], code = 0): Promise<string> {
  const shop = args.includes('--shop') ? [] : ['--shop', 'test'];
  return runAsGiven([...args, ...shop], code);
}

async function runAsGiven(args: readonly string[], code = 0): Promise<string> {
  const outcome = await runInProcess(args, { DATABASE_URL: warehouse.url });
  expect(outcome, outcome.stderr).toMatchObject({ code });
  return outcome.stdout + outcome.stderr;
}

const row = async (query: SQL) => (await warehouse.rows(query))[0];
const countShown = async (key: string) =>
  (
    await row(sql`
    SELECT count(*)::int AS orders FROM tested.bi_order_fields WHERE field_key = ${key} AND NOT is_hidden AND NOT is_deleted`)
  )?.['orders'];
const changedAt = async () =>
  (await row(sql`SELECT max(changed_at)::text AS at FROM tested.bi_orders`))?.['at'];

test('fields lists what bi shows of each field, and shows and hides one at once', async () => {
  const text = await run(['fields']);
  expect(text).toMatch(/^gift +40 +\d+ +hidden until you show it$/m);
  expect(text).toMatch(/^wish +30 +\d+ +hidden until you show it$/m);
  expect(text).toMatch(/1 field is not listed: its key does not look like a key/);
  expect(text).not.toContain('no shop yet');
  expect(await run(['status'])).toMatch(
    /fields that reports hide until you show them: gift, wish\. `order-sync fields show gift --shop test`/,
  );

  const before = await changedAt();
  expect(await run(['fields', 'show', 'wish'])).toMatch(
    /shows every value of the field wish .* 30 orders have one\.\n2 more fields are hidden/,
  );
  expect(await countShown('wish')).toBe(30);
  expect(await changedAt(), 'whoever reads what changed since reads it').not.toBe(before);
  expect(await run(['status'])).toMatch(/hide until you show them: gift\./);
  expect(await run(['fields'])).toMatch(/^wish +30 +\d+ +shown: you show it$/m);

  expect(await run(['fields', 'hide', 'gift'])).toMatch(
    /hides all values of the field gift of shop test; 40 orders have one\.\n1 more field is hidden/,
  );
  expect(await countShown('gift')).toBe(0);
  expect(await run(['fields', 'hide', 'wish'])).toContain('hides all values');
  expect(await countShown('wish')).toBe(0);

  const refused = await run(['fields', 'show', 'wsh'], 2);
  expect(refused).toContain('it has gift, wish, 1 whose keys may hold a person');
  const listed = await run(['fields']);
  expect(listed).toMatch(
    /^gift +40 +\d+ +hidden: you hide it\nwish +30 +\d+ +hidden: you hide it\n\n1 field is not listed/m,
  );
  expect([text, refused, listed].join()).not.toMatch(/Anna|Weber/);

  // Whoever knows a key may decide on it, even if it is not listed.
  await run(['fields', 'hide', PERSON]);
  expect(await run(['status'])).not.toContain('xtra order field');
});

test('decisions made during a sweep are kept', async () => {
  await warehouse.rows(sql`DELETE FROM tested.order_form_fields`);
  let decided = 0;
  const decide = async () => {
    decided += 1;
    if (decided > 1) return;
    await run(['fields', 'hide', 'wish']);
    await run(['statuses', 'set', 'W7', '--stage', 'cancelled']);
  };
  await sweep((api) => ({
    ...api,
    listOrders: async (...given) => (await decide(), api.listOrders(...given)),
  }));
  expect(decided).toBeGreaterThan(0);
  const text = await run(['status']);
  expect(text).toMatch(/hide until you show them: gift\./);
  expect(text, 'it is classified, though no sale').not.toContain('W7');
  expect(await run(['statuses'])).toMatch(/^W7 +W7 +cancelled +no +3 +you$/m);
  await run(['statuses', 'set', 'W7', '--stage', 'unknown']);
});

const sales = () =>
  row(sql`
    SELECT sum(orders)::int AS orders, sum(revenue)::text AS revenue, sum(other_orders)::int AS other,
      sum(cancelled_orders)::int AS cancelled FROM tested.bi_daily_sales`);
const recounted = () =>
  row(sql`
    SELECT count(*) FILTER (WHERE is_sale)::int AS orders, sum(order_sum) FILTER (WHERE is_sale)::text AS revenue,
      count(*) FILTER (WHERE NOT is_sale AND stage <> 'cancelled')::int AS other,
      count(*) FILTER (WHERE stage = 'cancelled')::int AS cancelled FROM tested.bi_orders WHERE NOT is_deleted`);

test('a stage makes past orders sales, or no longer sales, in stored and in computed sums', async () => {
  await refreshSummaries(warehouse.db);
  const before = await sales();
  expect(before).toMatchObject({ orders: 36, other: 4 });
  const text = await run(['statuses']);
  expect(text).toMatch(/^W7 +W7 +unknown +no +3 +nobody yet$/m);
  expect(text).toMatch(/^C +Delivered +delivered +yes +36 +the documentation$/m);
  expect(text).toMatch(/1 code is listed by number/);
  expect(text).not.toMatch(/Anna|rare/);
  expect(await run(['status'])).toContain('“W7” (3 orders)');

  const named = ['--stage', 'open', '--name', 'Wartet', '--stage-order', '16'];
  const done = await run(['statuses', 'set', 'W7', ...named]);
  expect(done).toMatch(
    /code W7 .* called Wartet, is of the stage open, and counts as a sale; 3 orders have it/,
  );
  for (const refresh of [false, true]) {
    if (refresh) await refreshSummaries(warehouse.db);
    expect(await sales()).toMatchObject({ orders: 39, other: 1 });
    expect(await sales()).toEqual(await recounted());
  }
  expect(await run(['status'])).not.toContain('W7');
  expect(await run(['statuses'])).toMatch(/^W7 +Wartet +open +yes +3 +you$/m);

  const changed = await changedAt();
  expect(await run(['statuses', 'set', 'W7', '--stage', 'cancelled'])).toMatch(
    /code W7 .* called Wartet, is of the stage cancelled, and counts as no sale/,
  );
  expect(await changedAt()).not.toBe(changed);
  expect(await sales()).toMatchObject({ orders: 36, other: 1, cancelled: 3 });
  // What is said of sales holds, whatever the stage says, given before or with it.
  for (const given of [[], ['--stage', 'cancelled']]) {
    await run(['statuses', 'set', 'W7', ...given, '--sale']);
    expect(await sales()).toMatchObject({ orders: 39, cancelled: 3 });
  }
  await run(['statuses', 'set', 'W7', '--stage', 'unknown', '--name', '']);
  expect(await sales()).toEqual(before);
  expect(await run(['statuses', 'set', 'C', '--no-sale'])).toMatch(
    /code C .* called Delivered, is of the stage delivered, and counts as no sale; 36 orders have it/,
  );
  expect(await run(['statuses'])).toMatch(/^C +Delivered +delivered +no +36 +you$/m);
  expect(await sales()).toMatchObject({ orders: 0, revenue: '0.00' });
  await run(['statuses', 'set', 'C', '--sale']);
  expect(await sales()).toEqual(before);
  expect(await run(['statuses'])).toMatch(/^C +Delivered +delivered +yes +36 +the documentation$/m);
});

test('a payment code gets a name', async () => {
  expect(await run(['status'])).toMatch(
    /“B7” \(3 orders\)\. `order-sync statuses set CODE --payment --name NAME --shop test`/,
  );
  expect(await run(['statuses', 'set', 'B7', '--payment', '--name', 'Bank'])).toMatch(
    /payment code B7 .* called Bank; 3 orders/,
  );
  expect(await run(['status'])).not.toContain('B7');
  const listed = await run(['statuses']);
  expect(listed).toMatch(/^B7 +Bank +3 +you$/m);
  expect(listed).toMatch(/^S +Not paid +\d+ +the documentation$/m);
  expect(listed).toContain('1 code is listed by number');
});

test('a code that no order has had can be added', async () => {
  await run(['statuses', 'set', 'packed', '--stage', 'fulfilment', '--add']);
  await run(['statuses', 'set', 'cheque', '--name', 'Scheck', '--payment', '--add']);
  await run(['statuses', 'set', 'C', '--name', 'Zugestellt', '--add']);
  const text = await run(['statuses']);
  expect(text).toMatch(/^packed +packed +fulfilment +yes +0 +you$/m);
  expect(text).toMatch(/^cheque +Scheck +0 +you$/m);
  expect(text).toMatch(/^C +Zugestellt +delivered +yes +36 +you$/m);
});

test.each([
  [['W7'], /needs at least one of --stage, --name/],
  [['W7', '--stage', 'shipped'], /draft, open, fulfilment, delivered, cancelled, returned, other, unknown/],
  [
    ['W8', '--stage', 'open'],
    /No order of shop test had that status code; it has "", U, A, .*(W7, #1|#1, W7), packed; --add adds it/,
  ],
  [['(hidden)', '--stage', 'open'], /is not a code: it stands for all codes that are not shown/],
  [['W7', '--stage-order', 'x'], /--stage-order x must be a whole number/],
  [['W7', '--stage-order', '10000'], /--stage-order 10000 must be a whole number/],
  [['B7', '--payment', '--stage', 'open'], /A payment code only has a name/],
  [['B7', '--payment', '--name', 'x', '--sale'], /A payment code only has a name/],
  [['B8', '--payment', '--name', 'x'], /payment code; it has "", B7, FP, HP, S, cheque; --add adds it\./],
  [['W7', '--name', 'x', '--shop', 'other'], /there is no shop other: the warehouse has bystander, test/i],
])('statuses set %j is refused', async (args, complaint) => {
  const refused = await run(['statuses', 'set', ...args], 2);
  expect(refused).toMatch(complaint);
  expect(refused).not.toContain('Anna');
});

test('a worker that owns nothing may not decide what bi shows, and the error says so', async () => {
  await using login = await createLogin(warehouse.url, 'order_sync_worker');
  const outcome = await runInProcess(['fields', 'show', 'wish', '--shop', 'test'], {
    DATABASE_URL: login.url,
  });
  expect(outcome).toMatchObject({ code: 1, stderr: expect.stringContaining('Only the owner of the tables') });
  expect(await countShown('wish')).toBe(0);
});

test('of several shops, one must be named to change it', async () => {
  for (const args of [
    ['statuses', 'set', 'C', '--name', 'x'],
    ['fields', 'hide', 'gift'],
  ]) {
    expect(await runAsGiven(args, 2)).toContain(
      '--shop KEY is needed to choose one; the warehouse has bystander, test',
    );
    expect(await run([...args, '--shop', 'test'])).toContain('of shop test');
  }
  expect(await runAsGiven(['fields'])).toMatch(/^Shop bystander\n[^]*^Shop test\n/m);
  expect(await runAsGiven(['statuses'])).toMatch(/^Shop bystander\n[^]*^Shop test\n/m);
});
