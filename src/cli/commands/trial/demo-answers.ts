import { type SQL, sql } from 'drizzle-orm';

import type { Db } from '../../../warehouse/db/database.ts';
import type { Io } from '../../output/io.ts';
import { table } from '../../output/table.ts';

const INDENT = '  ';
/** So that a line fits 80 columns. */
const BAR_CELLS = 32;

/** Prints answers of the views to common questions. */
export async function showAnswers({ out, outColumns }: Io, db: Db): Promise<void> {
  const columns = outColumns();
  out(`\n${await revenueLine(db)}`);
  out(`\nSales of the last 14 days\n${await salesBars(db)}`);
  for (const { title, query } of QUESTIONS) out(`\n${title}\n${await queryTable(db, query, columns)}`);
}

/** Of whole days only: today is not over. */
async function revenueLine(db: Db): Promise<string> {
  const { rows } = await db.execute<{
    revenue: string;
    currency: string;
    change: string | null;
    orders: number;
  }>(sql`
    WITH main AS (SELECT currency FROM bi.daily_sales GROUP BY currency ORDER BY sum(orders) DESC LIMIT 1),
    last AS (SELECT max(order_date) AS day FROM bi.daily_sales),
    spans AS (
      SELECT s.currency, sum(s.orders)::int AS orders, sum(s.revenue) AS revenue,
        CASE WHEN s.order_date >= last.day - 30 THEN 'now' ELSE 'before' END AS span
      FROM bi.daily_sales s CROSS JOIN last JOIN main ON main.currency = s.currency
      WHERE s.order_date >= last.day - 60 AND s.order_date < last.day GROUP BY s.currency, span)
    SELECT n.currency, n.orders, to_char(n.revenue, 'FM999,999,990.00') AS revenue,
      to_char(100 * (n.revenue / nullif(b.revenue, 0) - 1), 'SG990') AS change
    FROM spans n LEFT JOIN spans b ON b.span = 'before' WHERE n.span = 'now'`);
  const [row] = rows;
  if (row === undefined) return '';
  const change = row.change === null ? '' : `, ${row.change.replaceAll(' ', '')} % on the 30 days before`;
  return `Last 30 whole days: ${row.revenue} ${row.currency} from ${row.orders} sales${change}\n`;
}

type SalesDay = { label: string; currency: string; revenue: string; shown: string; orders: string };

async function salesBars(db: Db): Promise<string> {
  const { rows } = await db.execute<SalesDay>(sql`
    SELECT to_char(order_date, 'Dy DD Mon') AS label, currency, revenue, orders,
      to_char(revenue, 'FM999,999,990.00') AS shown
    FROM bi.daily_sales
    WHERE order_date > (SELECT max(order_date) FROM bi.daily_sales) - 14
      AND currency = (SELECT currency FROM bi.daily_sales GROUP BY currency ORDER BY sum(orders) DESC LIMIT 1)
    ORDER BY order_date`);
  const max = Math.max(1, ...rows.map((row) => Number(row.revenue)));
  const width = Math.max(...rows.map((row) => row.shown.length));
  return rows
    .map(({ label, currency, revenue, shown, orders }) => {
      const bar = '█'.repeat(Math.round((Number(revenue) / max) * BAR_CELLS)).padEnd(BAR_CELLS);
      return `  ${label}  ${bar}  ${shown.padStart(width)} ${currency}  ${orders.padStart(3)} orders\n`;
    })
    .join('');
}

const QUESTIONS: readonly { readonly title: string; readonly query: SQL }[] = [
  {
    title: 'Top products of the last 30 days',
    query: sql`
      SELECT max(product_name) AS product, currency, sum(quantity)::int AS pieces,
        to_char(sum(revenue), 'FM999,999,990.00') AS revenue
      FROM bi.product_sales WHERE order_date > (SELECT max(order_date) FROM bi.product_sales) - 30
      GROUP BY shop_id, product_oid, currency ORDER BY sum(revenue) DESC LIMIT 5`,
  },
  {
    title: 'New and returning customers',
    query: sql`
      SELECT CASE WHEN is_repeat THEN 'returning' WHEN NOT is_repeat THEN 'one order' ELSE 'not known' END AS customers, currency, count(*) AS count,
        sum(orders) AS orders, to_char(sum(lifetime_revenue), 'FM999,999,990.00') AS revenue
      FROM bi.customers GROUP BY is_repeat, currency ORDER BY count(*) DESC`,
  },
  {
    title: 'Where buyers heard of the shop',
    query: sql`
      SELECT value AS source, currency, sum(orders) AS sales, to_char(sum(revenue), 'FM999,999,990.00') AS revenue
      FROM bi.sales_by_field WHERE field_key = 'source' GROUP BY value, currency ORDER BY sum(orders) DESC LIMIT 4`,
  },
  {
    title: 'Orders per status',
    query: sql`
      SELECT status, stage, count(*) AS orders, round(100.0 * count(*) / sum(count(*)) OVER (), 1) AS share_pct
      FROM bi.orders WHERE NOT is_deleted GROUP BY status, stage ORDER BY count(*) DESC LIMIT 8`,
  },
  {
    title: 'Completeness',
    query: sql`
      SELECT shop, count(*) FILTER (WHERE is_verified) AS days_verified, count(*) AS days,
        sum(orders) AS orders_in_shop, sum(warehouse_orders) AS orders_in_warehouse,
        to_char(max(verified_at), 'YYYY-MM-DD HH24:MI:SS "UTC"') AS last_verified
      FROM bi.completeness GROUP BY shop`,
  },
];

async function queryTable(db: Db, query: SQL, columns: number | undefined): Promise<string> {
  const { rows, fields } = await db.execute(query);
  const names = fields.map((field) => field.name);
  const cells = rows.map((row) => names.map((name) => cellText(row[name])));
  const heading = names.map((name) => name.replaceAll('_', ' '));
  const text = table([heading, ...cells], columns === undefined ? undefined : columns - INDENT.length);
  return text.replaceAll(/^/gm, INDENT).trimEnd().concat('\n');
}

/** The queries cast their columns: a cell is text, a number, or null. */
function cellText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
