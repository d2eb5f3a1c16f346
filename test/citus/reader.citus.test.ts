/** What analysts ask, as the role that reads: on a Citus it asks the nodes itself, where it must not find a person. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Client } from 'pg';
import { expect, test } from 'vitest';

import { openDatabase } from '../../src/warehouse/db/database.ts';
import { askAs } from '../docs/as-reader.ts';
import { questionsOf } from '../docs/answers.ts';
import { runCommand } from '../support/command-line.ts';
import { emptyDatabase } from '../support/database.ts';
import { withClient } from '../support/database-clients.ts';
import { makeShopInProcess } from '../support/in-process-shop.ts';
import { needs } from '../support/needs.ts';
import { sweepOnce, testClock, withoutGroups } from '../support/sweep.ts';
import { CITUS_URL, copyRows, distributeWarehouse, readViews } from './citus-warehouse.ts';

const NOW = Temporal.Instant.from('2026-03-10T12:00:00Z');
const PAST = [
  'SELECT * FROM bi.daily_sales_asof(now())',
  "SELECT * FROM bi.daily_sales_changes('2026-03-09', now() - interval '1 day')",
];
/** Of these no view of `bi` shows anything. */
const PERSONAL = ['core.order_persons', 'core.user_persons', 'raw.orders', 'ops.guest_secrets'];

async function answers(client: Client): Promise<Readonly<Record<string, readonly string[]>>> {
  const document = await readFile(join(import.meta.dirname, '../../docs/questions.md'), 'utf8');
  const answered: Record<string, readonly string[]> = {};
  for (const query of [...questionsOf(document), ...PAST])
    answered[query] = (await askAs(client, 'bi_reader', query)).rows.map((row) => row.join('|')).toSorted();
  return answered;
}

test(
  'bi_reader gets the answers of one PostgreSQL from a Citus, and no person (needs CITUS_URL)',
  needs(CITUS_URL !== undefined, 'CITUS_URL names no Citus'),
  async () => {
    const url = CITUS_URL ?? '';
    await distributeWarehouse(url);
    await using simulator = makeShopInProcess({ orders: 200, days: 90, now: NOW });
    const clock = testClock(NOW);
    const means = { now: clock.now, through: withoutGroups };
    await using database = await openDatabase(url);
    await sweepOnce(simulator, database.db, { kind: 'backfill' }, {}, means);
    await using single = await emptyDatabase();
    await withClient(url, async (citus) => {
      await citus.query(`INSERT INTO core.order_form_fields SELECT shop_id, 'source', true FROM core.shops`);
      await withClient(single.url, async (client) => {
        await copyRows(citus, client);
        expect(await answers(citus)).toEqual(await answers(client));
        expect(await readViews(citus)).toEqual(await readViews(client));
      });
      for (const table of PERSONAL)
        await expect(askAs(citus, 'bi_reader', `SELECT * FROM ${table}`)).rejects.toThrow(
          'permission denied',
        );
      await expect(askAs(citus, 'bi_reader', 'SELECT order_hash FROM core.orders')).rejects.toThrow('denied');
      const { rows } = await askAs(
        citus,
        'bi_reader',
        'SELECT DISTINCT f.key FROM core.orders, ops.shown_fields(shop_id, order_id) f',
      );
      expect(new Set(rows.flat())).toEqual(new Set(['source', null]));
    });
    const asked = await runCommand(['sql', 'SELECT count(*) AS n FROM orders', '--json'], {
      DATABASE_URL: url,
    });
    expect(asked, asked.stderr).toMatchObject({ code: 0 });
    expect(asked.stdout).toContain('200');
  },
);
