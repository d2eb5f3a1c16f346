/** The dbt package, built by a real dbt where there is one: `DBT=/path/to/dbt npx vitest run test/bi-tools`. */
import { randomBytes } from 'node:crypto';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { type DemoWarehouse, openDemoWarehouse } from '../docs/demo-warehouse.ts';
import type { SweepRequest } from '../../src/sync/sweep/sweep-request.ts';
import { openDatabase } from '../../src/warehouse/db/database.ts';
import { needs } from '../support/needs.ts';
import { sweepOnce, testClock } from '../support/sweep.ts';
import { type DbtOutcome, findDbt, runDbt } from './dbt-program.ts';

const dbt = findDbt();

/** When the demo's last sweep was, and some time later, when all days are due. */
const LATER = Temporal.Instant.from('2026-03-22T08:00:00Z');
const DELETED = 10;
const CHANGED = 30;
/** Of these, orders of months ago. */
const OLD_CHANGED = 17;
const SETTINGS = { shopKey: 'demo', groupsMaxAgeMs: 1e12, usersMaxAgeMs: 1e12 };

describe('dbt', needs(dbt !== undefined, 'dbt is not installed (DBT names it)'), () => {
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
    const takeOver = async () => {
      const { ok, output } = await build('build', '--select', 'order_snapshot');
      expect(ok, output).toBe(true);
      await demo.client.query(BY_UPDATED_AT);
    };
    changeShop(demo);
    // Changes of new days are found first: those of old ones arrive with an earlier time than the latest one held.
    await sweep(demo, { kind: 'backfill', force: true, from: Temporal.PlainDate.from('2026-03-01') });
    await takeOver();
    for (let look = 1; look <= 3; look += 1) await sweep(demo, { kind: 'backfill', force: true }, look);
    await takeOver();
    expect(await missedBy(demo.client, 'analytics.order_snapshot')).toEqual([]);
    const deleted = 'SELECT count(*)::int AS n FROM analytics.order_snapshot WHERE is_deleted';
    expect((await demo.client.query(deleted)).rows).toEqual([{ n: DELETED + 1 }]);
    // The shop's own time misses the deletions and the changes of old orders, which shows that this test could see it.
    const missed = await missedBy(demo.client, 'public.by_updated_at');
    expect(missed).toHaveLength(DELETED + OLD_CHANGED);
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
  MERGE INTO public.by_updated_at t
  USING (SELECT * FROM bi.orders WHERE updated_at > (SELECT max(updated_at) FROM public.by_updated_at)) o
  ON (t.shop_id, t.order_id) = (o.shop_id, o.order_id)
  WHEN MATCHED THEN UPDATE SET
    (status_code, order_sum, paid_amount, lines_total, is_deleted, deleted_at, updated_at) =
    (o.status_code, o.order_sum, o.paid_amount, o.lines_total, o.is_deleted, o.deleted_at, o.updated_at)
  WHEN NOT MATCHED THEN INSERT
    (shop_id, order_id, status_code, order_sum, paid_amount, lines_total, is_deleted, updated_at)
    VALUES (o.shop_id, o.order_id, o.status_code, o.order_sum, o.paid_amount, o.lines_total, false, o.updated_at)`;

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

/** Deletes orders of all ages and changes others; a day later, somebody orders. */
function changeShop({ simulator: { shop } }: DemoWarehouse): void {
  shop.tick(LATER, { newOrders: 0, edits: 0 });
  const orders = shop.orders();
  const old = orders.filter((_, at) => at % 12 === 0).slice(0, DELETED + OLD_CHANGED);
  for (const { orderId } of old.slice(0, DELETED)) shop.deleteOrder(orderId);
  for (const { orderId, sumCents } of [...old.slice(DELETED), ...orders.slice(OLD_CHANGED - CHANGED)]) {
    shop.editOrder(orderId, { sumCents: sumCents + 100 });
  }
  shop.tick(LATER.add({ hours: 24 }), { newOrders: 1, edits: 0 });
}

/** @param look at the shop, each two hours after the one before: a deletion takes two */
async function sweep({ simulator, url }: DemoWarehouse, request: SweepRequest, look = 0): Promise<void> {
  await using database = await openDatabase(url);
  const clock = testClock(LATER.add({ hours: 25 + 2 * look }));
  await sweepOnce(simulator, database.db, request, SETTINGS, { now: clock.now });
}
