/** The migration that adds columns for analysts, on a warehouse that has orders and views of somebody's own. */
import type { Client } from 'pg';
import { expect, test } from 'vitest';

import { readMigrationFiles } from '../../../src/warehouse/db/migration-files.ts';
import { emptyDatabase } from '../../support/database.ts';
import { withClient } from '../../support/database-clients.ts';

const NAME = '0011_analysts';
const { migrations } = readMigrationFiles();
const at = migrations.findIndex(({ name }) => name === NAME);

const STORED = `
  INSERT INTO core.shops (shop_key, base_url, timezone) VALUES ('old', 'https://shop.example', 'UTC');
  INSERT INTO core.order_statuses (shop_id, status_code, name, stage, is_sale, is_final, is_documented)
    VALUES (1, 'C', 'Delivered', 'delivered', true, true, true);
  INSERT INTO core.payment_statuses (shop_id, pay_status_code, name, is_documented) VALUES (1, 'S', 'Not paid', true);
  INSERT INTO core.orders (shop_id, order_id, status_code, pay_status_code, is_guest, customer_key, created_on, fingerprint,
      lines_state, first_seen_at, changed_at)
    SELECT 1, n, 'C', 'S', true, 'g:a', '2026-01-01', '', 'ok', now(), now() FROM generate_series(1, 4) n;
  INSERT INTO core.order_lines (shop_id, order_id, line_no, line_total, list_total) VALUES
    (1, 1, 1, 10, 12), (1, 1, 2, 0.50, 0.50), (1, 2, 1, NULL, 5), (1, 3, 1, 7, 0), (1, 3, 2, 0, 0);
  DELETE FROM ops.stale_days;
  DELETE FROM ops.stale_customers`;

/** Runs on a database as it was before the migration. */
async function withOldDatabase(work: (client: Client, migrate: () => Promise<unknown>) => Promise<void>) {
  await using server = await emptyDatabase();
  await withClient(server.url, async (client) => {
    await client.query('DROP SCHEMA bi, bi_pii, core, ops, raw CASCADE');
    for (const { sql } of migrations.slice(0, at)) await client.query(sql);
    await client.query(STORED);
    await work(client, () => client.query(migrations[at]?.sql ?? ''));
  });
}

test('stored orders get the sums of their lines and a time of change, and all sums are computed anew', async () => {
  await withOldDatabase(async (client, migrate) => {
    await migrate();
    const { rows } = await client.query(
      'SELECT lines_total, list_total, row_changed_at = max(row_changed_at) OVER () AS at FROM core.orders ORDER BY order_id',
    );
    expect(rows).toEqual([
      { lines_total: '10.50', list_total: '12.50', at: true },
      { lines_total: null, list_total: '5.00', at: true },
      { lines_total: '7.00', list_total: null, at: true },
      { lines_total: null, list_total: null, at: true },
    ]);
    const marks = await client.query(
      'SELECT DISTINCT day::text, customer_key FROM ops.stale_days, ops.stale_customers',
    );
    expect(marks.rows).toEqual([{ day: '2026-01-01', customer_key: 'g:a' }]);
  });
});

test("a view of somebody's own is not dropped: the migration says what to do first", async () => {
  await withOldDatabase(async (client, migrate) => {
    await client.query('CREATE VIEW bi.order_lines AS SELECT 1 AS discount_pct');
    await client.query('CREATE VIEW public.mine AS SELECT discount_pct FROM bi.order_lines');
    await expect(migrate()).rejects.toMatchObject({
      message: expect.stringContaining('views of your own read bi.'),
      hint: expect.stringContaining('drop them, run order-sync migrate'),
    });
    await client.query('DROP VIEW public.mine');
    await migrate();
  });
});
