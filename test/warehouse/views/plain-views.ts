/** The views without summaries, against which those of `bi` are compared. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { sql } from 'drizzle-orm';

import { DEFAULT_FRESHNESS, parseFreshness } from '../../../src/plan/days/freshness.ts';
import type { TestWarehouse } from '../test-warehouse.ts';

const PLAIN_VIEWS = join(import.meta.dirname, 'plain-views.sql');
/** The views that read sums. */
export const COMPARED: readonly string[] = [
  'daily_sales',
  'customers',
  'customer_currencies',
  'customer_rfm',
  'cohorts_monthly',
  'cohort_revenue',
  'products',
  'basket',
  'status_funnel',
  'completeness',
  'sync_freshness',
];

type Rows = Pick<TestWarehouse, 'rows'>;

/** Creates them in a schema `plain`. */
export async function createPlainViews({ rows }: Rows): Promise<void> {
  await rows(sql.raw('CREATE SCHEMA plain'));
  const rules = parseFreshness(DEFAULT_FRESHNESS).map(({ youngerThanDays, targetMs }) => {
    const age = Number.isFinite(youngerThanDays) ? youngerThanDays : 'NULL';
    return `(${age}::integer, justify_hours(interval '${targetMs / 1000} s'))`;
  });
  const columns = 'younger_than_days, target';
  await rows(
    sql.raw(`CREATE VIEW plain.freshness AS SELECT * FROM (VALUES ${rules.join(', ')}) AS f (${columns})`),
  );
  await rows(sql.raw(await readFile(PLAIN_VIEWS, 'utf8')));
}

/** The first rows of a shop, or of all, that only one of a view and its plain definition has. */
export async function differences(
  { rows }: Rows,
  shopId?: number,
): Promise<readonly Record<string, unknown>[]> {
  const where = shopId === undefined ? sql`` : sql`WHERE shop_id = ${shopId}`;
  const all = (schema: string, view: string) =>
    sql`SELECT ${view}::text AS view, x::text AS row FROM ${sql.raw(`${schema}.${view}`)} x ${where}`;
  const bi = sql.join(
    COMPARED.map((view) => all('bi', view)),
    sql` UNION ALL `,
  );
  const plain = sql.join(
    COMPARED.map((view) => all('plain', view)),
    sql` UNION ALL `,
  );
  return rows(sql`
    WITH bi AS MATERIALIZED (${bi}), plain AS MATERIALIZED (${plain})
    (SELECT 'too much' AS kind, x.* FROM (TABLE bi EXCEPT ALL TABLE plain) x LIMIT 5)
    UNION ALL (SELECT 'lacking', x.* FROM (TABLE plain EXCEPT ALL TABLE bi) x LIMIT 5)`);
}

/** How many rows the views have in all: a comparison of none with none would prove nothing. */
export async function rowsCompared({ rows }: Rows): Promise<number> {
  const counts = COMPARED.map((view) => sql`(SELECT count(*) FROM ${sql.raw(`bi.${view}`)})`);
  const [counted] = await rows(sql`SELECT (${sql.join(counts, sql` + `)})::int AS n`);
  return Number(counted?.['n']);
}
