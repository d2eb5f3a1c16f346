/** What `verify` says of differences, and `verify --repair` of what it did, or did not do. */
import { afterAll, beforeAll, expect, test } from 'vitest';

import { startSimulator } from '../../src/simulator/server.ts';
import { jsonLines } from '../support/json-lines.ts';
import { openShop, type ShopOfCommands } from '../support/shop-of-commands.ts';

let opened: ShopOfCommands;
beforeAll(async () => {
  opened = await openShop({ orders: 40, days: 6, seed: 9 }, { FRESHNESS: '*:7d' });
  expect(await opened.run('backfill')).toMatchObject({ code: 0 });
});
afterAll(() => opened[Symbol.asyncDispose]());

const verify = (options = '') => opened.run(`verify ${options}`.trim());
const loseOneOrder = () =>
  opened.query('DELETE FROM tested.orders WHERE order_id = (SELECT min(order_id) FROM tested.orders)');

test('without a difference there is nothing to repair, and sums are given per currency', async () => {
  const { code, stdout } = await verify('--repair');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Nothing to repair: no order differs\.$/m);
  expect(stdout).toMatch(/^all +\w{3} +\d+ +\d+ +[\d.]+ +[\d.]+$/m);
  const [report] = jsonLines((await verify('--json')).stdout);
  const held = await opened.query(`SELECT currency, count(*)::int AS orders, sum(order_sum)::text AS sum
    FROM tested.orders GROUP BY 1 ORDER BY 1`);
  expect(report).toMatchObject({
    is_equal: true,
    repair: null,
    currencies: held.rows.map(({ currency, ...figures }) => ({
      currency,
      shop: figures,
      warehouse: figures,
    })),
  });
});

test('orders that came in since their day was verified are reported separately from real differences', async () => {
  opened.simulator.shop.tick(undefined, { newOrders: 2, edits: 0 });
  const grown = await verify();
  expect(grown.code).toBe(4);
  expect(grown.stdout).toMatch(
    /^No order of the verified days differs .*\n2 more orders differ: .*`order-sync verify --repair` does so now/m,
  );
  await loseOneOrder();
  const { code, stdout } = await verify();
  expect(code).toBe(4);
  expect(stdout).toMatch(
    /^1 order of the verified days differs:\n {2}order \d+ of .*: not in the warehouse\n2 more orders /m,
  );
  const [report] = jsonLines((await verify('--json')).stdout);
  expect(report).toMatchObject({ is_equal: false });
  expect(await verify('--repair')).toMatchObject({ code: 0 });
});

test('a difference is repaired, of some days without reading the whole list, and the result is one document', async () => {
  await loseOneOrder();
  const audited = async () => (await opened.query(`SELECT memory -> 'audit' FROM tested.shop_state`)).rows;
  await opened.query('ALTER TABLE core.orders ADD CONSTRAINT refused CHECK (false) NOT VALID');
  const failing = await verify('--repair --json');
  await opened.query('ALTER TABLE core.orders DROP CONSTRAINT refused');
  expect(failing.code).toBe(1);
  expect(jsonLines(failing.stdout)).toMatchObject([
    { is_equal: false, differences: [{ kind: 'not in the warehouse' }], repair: null },
    { shop: 'default', status: 'failed', error: expect.stringMatching(/^The database: /) },
  ]);
  const before = await audited();
  const { code, stdout } = await verify('--repair --json --from 2000-01-01');
  expect(code).toBe(0);
  expect(await audited()).toEqual(before);
  expect(jsonLines(stdout)).toMatchObject([
    {
      is_equal: false,
      differences: [{ kind: 'not in the warehouse' }],
      repair: { status: 'ok', problems: [], orders_new: 1 },
    },
  ]);
});

test('an order without a date, which the list of no day shows, is repaired too', async () => {
  const { orderId } = opened.simulator.shop.insertOrder({ createdText: '' });
  const [report] = jsonLines((await verify('--repair --json')).stdout);
  expect(report).toMatchObject({
    differences: [{ order_id: String(orderId), day: null, kind: 'not in the warehouse' }],
    repair: { status: 'ok', orders_new: 1 },
  });
});

test('if a replay may correct differing months, nothing is repaired, and they still count as a difference', async () => {
  // Rows of an older version are not compared one by one.
  await opened.query('UPDATE tested.shop_state SET normalizer_version = 0');
  await opened.query(`UPDATE tested.orders SET order_sum = order_sum + 5
    WHERE order_id = (SELECT min(order_id) FROM tested.orders)`);
  const { code, stdout } = await verify('--repair');
  expect(code).toBe(4);
  expect(stdout).toMatch(/^Not compared: sums are compared only after a replay, which is due/m);
  expect(stdout).toMatch(/^Not repaired: /m);
  expect(await opened.run('replay --shop default')).toMatchObject({ code: 0 });
  expect(await verify()).toMatchObject({ code: 0 });
});

test('an order that left the days that are compared is named, and repaired from where the shop has it', async () => {
  const { shop } = opened.simulator;
  const [first, moved] = [shop.orders()[1]?.createdLocal, shop.orders()[25]];
  if (moved === undefined || first === undefined) throw new Error('the shop is too small');
  const day = moved.createdLocal.toPlainDate().toString();
  const to = first.toPlainDate().toString();
  expect(day).not.toBe(to);
  shop.moveOrder(moved.orderId, first.add({ minutes: 1 }));
  const range = `--from ${day} --to ${day}`;
  const { code, stdout } = await verify(range);
  expect(code).toBe(4);
  expect(stdout).toContain(`order ${moved.orderId} of ${to}: differs`);
  expect(stdout).not.toContain('Months differ');
  expect((await opened.run('status --shop default')).stdout).toMatch(
    /^ {2}Warning: The verify of .* UTC found 1 order of verified days to differ\. `order-sync verify --repair --shop default` /m,
  );
  // The day that it left is read again after that.
  expect((await verify(`${range} --repair`)).stdout).toMatch(/1 day is still due; the next run continues/);
  expect((await opened.run('status --shop default')).stdout).not.toContain('The verify of');
  expect(await opened.run('sync')).toMatchObject({ code: 0 });
  expect(await verify(range)).toMatchObject({ code: 0 });
});

test('a shop that cannot be read says why nothing was repaired', async () => {
  await using empty = await startSimulator({ orders: 0 });
  const other = { SHOP_URL: empty.url, SHOP_KEY: 'empty' };
  const { code, stdout } = await opened.run('verify --repair', other);
  expect(code).toBe(3);
  expect(stdout).toMatch(/^Not compared: .*lists no orders at all\.\nNot repaired: it is not known which/m);
  expect(stdout).toContain('The comparison is incomplete: ');
  expect(stdout).not.toMatch(/No order differs|`order-sync verify --repair` syncs/);
});

test('a deletion is repaired once it is confirmed: until then neither the repair nor the status calls its day verified', async () => {
  const unverified = async () => {
    const [report] = jsonLines((await opened.run('status --shop default --json')).stdout);
    return (report as { readonly days_unverified: number }).days_unverified;
  };
  expect(await unverified()).toBe(0);
  const { shop } = opened.simulator;
  shop.deleteOrder(shop.orders()[20]?.orderId ?? 0);
  const { code, stdout } = await verify('--repair');
  expect(code).toBe(3);
  expect(stdout, 'its day was a verified one when it was compared').toContain(
    'outside the verified days: 1, 1 of',
  );
  expect(stdout).toMatch(/^Shop default: 0 of 1 due days verified /m);
  expect(stdout).toMatch(
    /^1 order disappeared from the shop's list; a sync after \d\d:\d\d UTC confirms whether it was deleted\. Until then its day counts as not verified\.$/m,
  );
  expect(await unverified()).toBe(1);
});

test('many orders that vanished at once are not marked, and the repair says so', async () => {
  const ids = opened.simulator.shop.orders().map(({ orderId }) => orderId);
  for (const id of ids.slice(0, 30)) opened.simulator.shop.deleteOrder(id);
  const { code, stdout } = await verify('--repair');
  expect(code).toBe(3);
  expect(stdout).toMatch(/^Partial:\n( {2}- .*\n)*.*--accept-missing/m);
});

test('orders of days that are not verified are counted, apart from those without a date', async () => {
  await opened.query('UPDATE tested.days SET verified_at = NULL');
  const { rows } = await opened.query('SELECT FROM tested.orders WHERE deleted_at IS NULL');
  const [report] = jsonLines((await verify('--json')).stdout);
  expect(report).toMatchObject({ orders_outside_verified_days: rows.length, orders_without_date: 1 });
});
