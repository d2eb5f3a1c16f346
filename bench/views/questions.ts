/** What analysts ask of each view: with the restriction that they would write, and of all of it. */

export type Question = {
  readonly view: string;
  /** For people: what it is restricted to. */
  readonly restriction: string;
  /** After WHERE; undefined: nothing is. */
  readonly where?: string;
  /** Answered in less than this, or the bench fails; undefined: it takes what it takes. */
  readonly withinMs?: number;
};

export const WITHIN_MS = 500;
const question = (view: string, restriction: string, where: string): Question => ({
  view: `bi.${view}`,
  restriction,
  where,
  withinMs: WITHIN_MS,
});

const lastDays = (view: string, column = 'order_date') =>
  question(view, '30 days', `${column} > current_date - 30`);

export const QUESTIONS: readonly Question[] = [
  lastDays('orders'),
  lastDays('order_lines'),
  lastDays('order_fields'),
  lastDays('order_history'),
  lastDays('status_periods'),
  lastDays('order_versions'),
  lastDays('data_quality'),
  lastDays('delivery_times'),
  lastDays('payments'),
  lastDays('returns'),
  lastDays('open_orders'),
  lastDays('sales_by_hour'),
  lastDays('group_sales'),
  question('orders', 'changed in 30 days', `changed_at > now() - interval '30 days'`),
  lastDays('daily_sales'),
  question('daily_sales', 'two years', 'order_date > current_date - 730'),
  lastDays('product_sales'),
  question('product_sales', 'one product', `product_oid = 5`),
  lastDays('sales_by_field'),
  question('customers', 'one customer', `customer_key = 'u:1500'`),
  question('customers', '30 days of first_order_date', 'first_order_date > current_date - 30'),
  question('customer_rfm', 'one customer', `customer_key = 'u:1500'`),
  question('customer_rfm', '30 days of last_order_date', 'last_order_date > current_date - 30'),
  question('cohorts_monthly', 'one cohort', `cohort_month = date_trunc('month', current_date - 365)::date`),
  {
    ...question("daily_sales_asof(now() - interval '7 days')", '30 days', 'order_date > current_date - 30'),
    // It counts the days of all orders that changed since then anew.
    withinMs: 10_000,
  },
  question("daily_sales_changes(current_date - 8, now() - interval '7 days')", 'a day', 'true'),
  question('basket', 'one product', 'product_oid = 500'),
  question('status_funnel', 'the stages', `level = 'stage'`),
  lastDays('completeness', 'day'),
  question('sync_freshness', 'one shop', `shop = 'shop'`),
  ...[
    'orders',
    'order_lines',
    'order_fields',
    'order_history',
    'status_periods',
    'data_quality',
    'delivery_times',
    'daily_sales',
    'product_sales',
    'sales_by_field',
    'customers',
    'customer_rfm',
    'cohorts_monthly',
    'basket',
    'status_funnel',
    'completeness',
    'payments',
    'returns',
    'open_orders',
    'sales_by_hour',
    'group_sales',
    'customer_currencies',
    'cohort_revenue',
    'products',
    'shops',
    'user_groups',
    'calendar',
  ].map((view): Question => ({ view: `bi.${view}`, restriction: 'all of it' })),
];

export function statementOf({ view, where }: Question): string {
  return `SELECT * FROM ${view}${where === undefined ? '' : ` WHERE ${where}`}`;
}
