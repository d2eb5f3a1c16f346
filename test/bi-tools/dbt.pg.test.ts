/** The dbt package, built by a real dbt where there is one: `DBT=/path/to/dbt npx vitest run test/bi-tools`. */
import { randomBytes } from 'node:crypto';
import { cp, mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { BRIEFLY, type DemoWarehouse, openDemoWarehouse } from '../docs/demo-warehouse.ts';
import type { SweepRequest } from '../../src/sync/sweep/sweep-request.ts';
import { openDatabase } from '../../src/warehouse/db/database.ts';
import { withClient } from '../support/database-clients.ts';
import { emptyDatabase } from '../support/database.ts';
import { needs } from '../support/needs.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { inRepository } from '../docs/markdown.ts';
import { sweepOnce, testClock } from '../support/sweep.ts';
import { type DbtOutcome, findDbt, runDbt } from './dbt-program.ts';
import { brokenKeys, brokenPointers } from '../docs/held-to-data.ts';
import { IS_LONG } from '../support/long.ts';
import { longTest } from '../support/long-test.ts';

const dbt = findDbt();

/** When the demo's last sweep was, and some time later, when all days are due. */
const LATER = Temporal.Instant.from('2026-03-22T08:00:00Z');
const DELETED = 10;
const CHANGED = 30;
/** Of these, orders of months ago. */
const OLD_CHANGED = 17;
/** All models with their tests, and of the sources one. */
const SOME = ['--select', 'resource_type:model', 'source:order_sync.order_lines'];
const SETTINGS = { shopKey: 'demo', groupsMaxAgeMs: 1e12, usersMaxAgeMs: 1e12 };

describe('dbt', needs(dbt !== undefined, 'dbt is not installed (DBT names it)'), () => {
  const stack = new AsyncDisposableStack();
  let demo: DemoWarehouse;
  let login: string;
  let folder: string;
  const role = `order_sync_test_${randomBytes(6).toString('hex')}`;

  beforeAll(async () => {
    folder = stack.use(await mkdtempDisposable(join(tmpdir(), 'order-sync-dbt-'))).path;
    demo = stack.use(await openDemoWarehouse(IS_LONG ? undefined : BRIEFLY));
    login = await createLogin(demo, role);
    stack.defer(async () => void (await demo.client.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`)));
  });
  afterAll(() => stack.disposeAsync());

  const build = async (...args: readonly string[]): Promise<DbtOutcome> =>
    runDbt(dbt ?? '', args, login, folder);

  longTest('all models are built on the demo warehouse, with a login that reads bi alone', async () => {
    const { ok, output } = await build('run');
    expect(ok, output).toBe(true);
    expect(await missedBy(demo.client, 'analytics.order_snapshot')).toEqual([]);
  });

  longTest('the incremental model misses no deletion and no late change', async () => {
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

  // The demo's orders, and all that was done to them: what every key and pointer is tested on.
  test('after a replay and an erasure, a full build passes: keys and references hold, and incremental models equal their views', async () => {
    const env = { DATABASE_URL: demo.url };
    const email = await demo.client.query(
      'SELECT buyer_email AS email FROM core.order_persons WHERE buyer_email IS NOT NULL LIMIT 1',
    );
    // Values that a replay corrects, as of a version that understood less.
    await demo.client.query(`UPDATE core.orders SET order_sum = NULL WHERE order_id % 7 = 0 AND ${OF_DEMO}`);
    await demo.client.query(`DELETE FROM core.order_lines WHERE order_id % 11 = 0 AND ${OF_DEMO}`);
    for (const args of [
      ['replay', '--rekey', '--shop', 'demo'],
      ['forget', '--shop', 'demo', '--email', email.rows[0]?.email],
    ]) {
      expect(await runInProcess(args, env), args[0]).toMatchObject({ code: 0 });
    }
    // The tests of the sources are these, whatever asks; by dbt, each takes fifty times as long.
    expect(await brokenKeys(demo.client)).toEqual([]);
    expect(await brokenPointers(demo.client)).toEqual([]);
    const { ok, output } = await build('build', ...(IS_LONG ? [] : SOME));
    expect(ok, output).toBe(true);
    expect(output).toMatch(IS_LONG ? /PASS=\d{3,} WARN=0 ERROR=0/ : /PASS=\d{2,} WARN=0 ERROR=0/);
    expect(await missedBy(demo.client, 'analytics.order_snapshot')).toEqual([]);
  });

  longTest('another project installs it by packages.yml, and builds on its models', async () => {
    const project = join(folder, 'mine');
    await mkdir(join(project, 'models'), { recursive: true });
    await writeFile(join(project, 'packages.yml'), `packages:\n  - local: ${inRepository('dbt')}\n`);
    await writeFile(join(project, 'dbt_project.yml'), 'name: mine\nversion: 0.1.0\nprofile: order_sync\n');
    await cp(inRepository('dbt/profiles.yml'), join(project, 'profiles.yml'));
    await writeFile(
      join(project, 'models/mine.sql'),
      `SELECT l.product_oid, count(*) AS lines FROM {{ ref('order_line_snapshot') }} AS l
       JOIN {{ source('order_sync', 'products') }} AS p USING (shop_id, product_oid) GROUP BY 1`,
    );
    // What the package brings is tested above.
    for (const command of [['deps'], ['build', '--select', '+mine']]) {
      const { ok, output } = await runDbt(dbt ?? '', command, login, join(folder, 'of-mine'), project);
      expect(ok, output).toBe(true);
    }
    const { rows } = await demo.client.query('SELECT count(*)::int AS products FROM analytics.mine');
    expect(rows[0]?.products).toBeGreaterThan(5);
  });

  longTest('builds on a warehouse without a shop', async () => {
    await using empty = await emptyDatabase();
    await withClient(empty.url, (client) => createLogin({ client, url: empty.url }, `${role}_empty`));
    try {
      const url = new URL(empty.url);
      [url.username, url.password] = [`${role}_empty`, `${role}_empty`];
      const { ok, output } = await runDbt(dbt ?? '', ['build'], url.href, folder);
      expect(ok, output).toBe(true);
    } finally {
      await withClient(empty.url, (client) =>
        client.query(`DROP OWNED BY ${role}_empty; DROP ROLE ${role}_empty`),
      );
    }
  });

  longTest('a missed order fails the build', async () => {
    await demo.client.query(
      'DELETE FROM analytics.order_snapshot WHERE order_id = (SELECT min(order_id) FROM bi.orders)',
    );
    const { ok, output } = await build('test', '--select', 'order_snapshot');
    expect({ ok, says: /FAIL 1 shows_all_order_snapshot/.test(output) }, output).toEqual({
      ok: false,
      says: true,
    });
  });
});

/** Of the bystander nothing may change. */
const OF_DEMO = "shop_id = (SELECT shop_id FROM core.shops WHERE shop_key = 'demo')";

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

async function createLogin(demo: Pick<DemoWarehouse, 'client' | 'url'>, role: string): Promise<string> {
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
  const means = { now: clock.now, refreshesSummaries: true };
  await sweepOnce(simulator, database.db, request, SETTINGS, means);
}
