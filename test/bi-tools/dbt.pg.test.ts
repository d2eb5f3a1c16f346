/** The dbt package, built by a real dbt where there is one: `DBT=/path/to/dbt npx vitest run test/bi-tools`. */
import { randomBytes } from 'node:crypto';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { type DemoWarehouse, openDemoWarehouse } from '../docs/demo-warehouse.ts';
import { openDatabase } from '../../src/warehouse/db/database.ts';
import { sweepOnce, testClock } from '../support/sweep.ts';
import { type DbtOutcome, findDbt, runDbt } from './dbt-program.ts';

const dbt = findDbt();
if (dbt === undefined)
  process.stdout.write('dbt is not installed: its package is not built (DBT names it)\n');

/** When the demo's last sweep was, and some time later, when all days are due. */
const LATER = Temporal.Instant.from('2026-03-22T08:00:00Z');
const DELETED = 10;
const CHANGED = 30;
const SETTINGS = { shopKey: 'demo', groupsMaxAgeMs: 1e12, usersMaxAgeMs: 1e12 };

describe.skipIf(dbt === undefined)('dbt', () => {
  const stack = new AsyncDisposableStack();
  let demo: DemoWarehouse;
  let login: string;
  let folder: string;

  beforeAll(async () => {
    folder = stack.use(await mkdtempDisposable(join(tmpdir(), 'order-sync-dbt-'))).path;
    demo = stack.use(await openDemoWarehouse());
    const role = `order_sync_test_${randomBytes(6).toString('hex')}`;
    login = await createLogin(demo, role);
    stack.defer(async () => void (await demo.client.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`)));
  });
  afterAll(() => stack.disposeAsync());

  const build = async (...args: readonly string[]): Promise<DbtOutcome> =>
    runDbt(dbt ?? '', args, login, folder);

  test('builds on the demo warehouse, with a login that reads bi alone: every key, pointer and model holds', async () => {
    const { ok, output } = await build('build');
    expect(ok, output).toBe(true);
    expect(output).toMatch(/PASS=\d{2,} WARN=0 ERROR=0/);
    expect(await missedBy(demo.client, 'analytics.order_snapshot')).toEqual([]);
  });

  test('the incremental model misses no deletion and no late change', async () => {
    await demo.client.query('CREATE TABLE public.by_updated_at AS SELECT * FROM analytics.order_snapshot');
    await changeShop(demo);
    await demo.client.query(BY_UPDATED_AT);
    const { ok, output } = await build('build', '--select', 'order_snapshot');
    expect(ok, output).toBe(true);
    expect(output).toMatch(/INSERT 0 \d{2}\b/);
    expect(await missedBy(demo.client, 'analytics.order_snapshot')).toEqual([]);
    const deleted = 'SELECT count(*)::int AS n FROM analytics.order_snapshot WHERE is_deleted';
    expect((await demo.client.query(deleted)).rows).toEqual([{ n: DELETED + 1 }]);
    // The cursor of the shop itself misses them, which shows that this test could see it.
    expect((await missedBy(demo.client, 'public.by_updated_at')).length).toBeGreaterThanOrEqual(DELETED);
  });

  test('a missed order fails the build', async () => {
    await demo.client.query(
      'DELETE FROM analytics.order_snapshot WHERE order_id = (SELECT min(order_id) FROM bi.orders)',
    );
    const { ok, output } = await build('test', '--select', 'order_snapshot_is_complete');
    expect({ ok, says: /FAIL 1 order_snapshot_is_complete/.test(output) }, output).toEqual({
      ok: false,
      says: true,
    });
  });
});

/** What an incremental model would do that goes by the shop's own time of the last change. */
const BY_UPDATED_AT = `
  UPDATE public.by_updated_at t
  SET (status_code, order_sum, paid_amount, lines_total, is_deleted, deleted_at)
    = (o.status_code, o.order_sum, o.paid_amount, o.lines_total, o.is_deleted, o.deleted_at)
  FROM bi.orders o
  WHERE (t.shop_id, t.order_id) = (o.shop_id, o.order_id)
    AND o.updated_at > (SELECT max(updated_at) FROM public.by_updated_at)`;

async function createLogin(demo: DemoWarehouse, role: string): Promise<string> {
  await demo.client.query(`
    CREATE ROLE ${role} LOGIN PASSWORD '${role}' IN ROLE bi_reader;
    CREATE SCHEMA analytics AUTHORIZATION ${role}`);
  const url = new URL(demo.url);
  [url.username, url.password] = [role, role];
  return url.href;
}

/** Orders of which a copy lacks the state that `bi.orders` shows. */
async function missedBy(client: Client, copy: string): Promise<readonly unknown[]> {
  const { rows } = await client.query(`
    SELECT o.order_id FROM bi.orders o LEFT JOIN ${copy} c USING (shop_id, order_id)
    WHERE (o.status_code, o.order_sum, o.paid_amount, o.lines_total, o.is_deleted, o.deleted_at)
      IS DISTINCT FROM (c.status_code, c.order_sum, c.paid_amount, c.lines_total, c.is_deleted, c.deleted_at)`);
  return rows;
}

/** Deletes orders of all ages and changes others, which the next sweeps find. */
async function changeShop({ simulator, url }: DemoWarehouse): Promise<void> {
  const { shop } = simulator;
  const spread = shop.orders().filter((_, at) => at % 12 === 0);
  for (const { orderId } of spread.slice(0, DELETED)) shop.deleteOrder(orderId);
  for (const { orderId, sumCents } of spread.slice(DELETED, DELETED + CHANGED)) {
    shop.editOrder(orderId, { sumCents: sumCents + 100 });
  }
  await using database = await openDatabase(url);
  const clock = testClock(LATER);
  for (let look = 1; look <= 3; look += 1) {
    await sweepOnce(simulator, database.db, { kind: 'backfill', force: true }, SETTINGS, { now: clock.now });
    clock.pass({ hours: 2 });
  }
}
