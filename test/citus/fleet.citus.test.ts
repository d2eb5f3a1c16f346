import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Client } from 'pg';
import { expect, test } from 'vitest';

import { openDatabase } from '../../src/warehouse/db/database.ts';
import { refreshSummaries } from '../../src/warehouse/ops/refresh-summaries.ts';
import { runCommand } from '../support/command-line.ts';
import { withClient } from '../support/database-clients.ts';
import { emptyDatabase } from '../support/database.ts';
import { type Lab, openLab, untilEqual } from '../support/fleet-lab.ts';
import { openFolder } from '../support/scratch-folder.ts';
import { until } from '../support/until.ts';
import { needs } from '../support/needs.ts';
import {
  CITUS_URL,
  copyRows,
  distributeWarehouse,
  migrate,
  readViews,
  runScript,
  succeed,
  updateProgram,
} from './citus-warehouse.ts';

const SHOPS = 30;
const WAIT_MS = 600_000;

test(
  'thirty shops on a Citus: filled by three workers, edited, killed, verified; its views are those of one PostgreSQL (needs CITUS_URL)',
  needs(CITUS_URL !== undefined, 'CITUS_URL names no Citus'),
  async () => {
    const url = CITUS_URL ?? '';
    await distributeWarehouse(url);
    const database = { url, [Symbol.asyncDispose]: async () => undefined };
    await using lab = await openLab(database, SHOPS, { orders: 60, days: 20 }, { freshness: '*:1s' });
    const [first, ...others] = [lab.startWorker(), lab.startWorker(), lab.startWorker()];
    await until('some shops are loaded', async () => (await countOrders(lab)) > 300, WAIT_MS);
    first.process.kill('SIGKILL');
    const last = lab.startWorker();
    await untilEqual(lab, WAIT_MS);
    await expectSpread(lab.client);

    for (const { simulator } of lab.shops) changeShop(simulator.shop);
    await until('some edits are found', async () => (await countStates(lab)) > 20, WAIT_MS);
    others[0]?.process.kill('SIGKILL');
    await untilEqual(lab, WAIT_MS);
    for (const worker of [others[1], last]) {
      worker?.process.kill('SIGTERM');
      expect(await worker?.outcome).toMatchObject({ code: 0 });
    }

    const env = { SHOPS_FILE: lab.shopsFile, DATABASE_URL: url };
    const verified = await runCommand(['verify', '--json'], env);
    // A deletion is confirmed five minutes later.
    const lines = verified.stdout.trim().split('\n');
    const differences: readonly unknown[] = lines.flatMap((line) => JSON.parse(line).differences);
    const deletion = { kind: 'not in the shop', is_sweep_due: true };
    expect(differences, verified.stderr).toEqual(differences.map(() => expect.objectContaining(deletion)));
    await expectViewsOfOnePostgres(url);
    await markAndChange(lab.client);
    await expectViewsOfOnePostgres(url);
    await update(lab, url);
  },
);

/** As documented: a next version's tables are distributed, its views applied, and a worker's own login works with both. */
async function update(lab: Lab, url: string): Promise<void> {
  await using folder = await openFolder('next');
  const passwordFile = join(folder.path, 'password');
  await writeFile(passwordFile, 'of-tests');
  await updateProgram(folder.path);
  await succeed(migrate(url));
  expect(JSON.parse((await succeed(migrate(url))).stdout)).toMatchObject({ applied: 0 });
  for (const _time of [1, 2]) await runScript(url, 'worker-login.sql', { PASSWORD_FILE: passwordFile });
  await succeed(runCommand(['db', 'login', 'bi', '--password-file', passwordFile], { DATABASE_URL: url }));
  const { rows } = await lab.client.query(
    `SELECT citus_table_type AS type FROM citus_tables WHERE table_name = 'core.next_table'::regclass`,
  );
  expect(rows).toEqual([{ type: 'distributed' }]);
  const login = Object.assign(new URL(url), { username: 'worker', password: 'of-tests' }).href;
  const env = { SHOPS_FILE: lab.shopsFile, DATABASE_URL: login };
  expect(await runCommand(['sync', '--shop', 'shop-1'], env)).toMatchObject({ code: 0 });
}

async function countOrders({ client }: Lab): Promise<number> {
  const { rows } = await client.query<{ n: number }>('SELECT count(*)::int AS n FROM core.orders');
  return rows[0]?.n ?? 0;
}

async function countStates({ client }: Lab): Promise<number> {
  const { rows } = await client.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM core.order_history WHERE NOT is_initial',
  );
  return rows[0]?.n ?? 0;
}

/** More than one node holds shops, and none of them the bookkeeping. */
async function expectSpread(client: Client): Promise<void> {
  const { rows } = await client.query<{ nodes: number; ops: readonly string[] }>(`
    SELECT count(DISTINCT nodename || nodeport)::int AS nodes,
      array_agg(DISTINCT table_name::text) FILTER (WHERE table_name::text LIKE 'ops.%') AS ops
    FROM citus_shards WHERE citus_table_type = 'distributed'`);
  expect(rows[0]?.nodes).toBeGreaterThan(1);
  expect(rows[0]?.ops).toEqual(['ops.stale_sums', 'ops.view_changes']);
}

function changeShop(shop: Lab['shops'][number]['simulator']['shop']): void {
  const orders = shop.orders();
  const [edited, paid, moved, gone] = orders.slice(5).map(({ orderId }) => orderId);
  shop.editOrder(edited ?? 0, { status: 'C' });
  shop.editOrder(paid ?? 0, { sumCents: 12_345, payStatus: 'FP' });
  shop.editOrder(moved ?? 0, { status: 'F' });
  shop.deleteOrder(gone ?? 0);
  shop.insertOrder({ status: 'N' });
}

/** As other clients would: what counts as a sale, a line, a state of the past. */
async function markAndChange(client: Client): Promise<void> {
  await client.query(
    `UPDATE core.order_statuses SET is_sale = false WHERE status_code = 'N' AND shop_id % 2 = 0`,
  );
  await client.query('DELETE FROM core.order_lines WHERE shop_id = 1 AND line_no = 1');
  await client.query(`UPDATE core.orders SET created_on = created_on - 1 WHERE shop_id = 2`);
  await client.query('DELETE FROM core.orders WHERE shop_id = 3 AND order_id % 2 = 0');
}

/** With what is marked, and once it was recomputed. */
async function expectViewsOfOnePostgres(citusUrl: string): Promise<void> {
  await using single = await emptyDatabase();
  await withClient(citusUrl, async (citus) => {
    await withClient(single.url, async (client) => {
      await copyRows(citus, client);
      const expected = await readViews(client);
      expect(expected['bi.orders']?.length).toBeGreaterThan(1_000);
      expect(await readViews(citus)).toEqual(expected);
      await refresh(citusUrl);
      expect(await countMarks(citus)).toBe(0);
      expect(await readViews(citus)).toEqual(expected);
      await refresh(single.url);
      expect(await readViews(client)).toEqual(expected);
    });
  });
}

async function refresh(url: string): Promise<void> {
  await using database = await openDatabase(url, 1);
  expect(await refreshSummaries(database.db)).toBeDefined();
}

async function countMarks(client: Client): Promise<number> {
  const { rows } = await client.query<{ n: number }>('SELECT count(*)::int AS n FROM ops.stale_sums');
  return rows[0]?.n ?? -1;
}
