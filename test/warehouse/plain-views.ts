/**
 * The views as they were before there were sums to read: each counts every order. They say what the figures must be. The
 * one whose rule has changed since is given anew.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { sql } from 'drizzle-orm';

import { PLAIN_CUSTOMER_RFM } from './plain-rfm.ts';
import type { TestWarehouse } from './test-warehouse.ts';

const PLAIN = ['0001_views', '0003_order_views', '0004_customer_views', '0005_quality_views'];
/** The views that read sums. */
export const COMPARED: readonly string[] = [
  'daily_sales',
  'customers',
  'customer_rfm',
  'cohorts_monthly',
  'basket',
  'status_funnel',
  'completeness',
  'sync_freshness',
];

type Rows = Pick<TestWarehouse, 'rows'>;

/** Creates them in a schema `plain`. */
export async function createPlainViews({ rows }: Rows): Promise<void> {
  await rows(sql`CREATE SCHEMA plain`);
  for (const tag of PLAIN) {
    const file = join(import.meta.dirname, '..', '..', 'drizzle', `${tag}.sql`);
    const statements = (await readFile(file, 'utf8')).split('--> statement-breakpoint');
    for (const statement of statements.filter((text) => /^CREATE (OR REPLACE )?VIEW bi\./m.test(text))) {
      await rows(sql.raw(statement.replaceAll('bi.', 'plain.')));
    }
  }
  await rows(sql.raw(PLAIN_CUSTOMER_RFM));
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
