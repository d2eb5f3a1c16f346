/** Measures of the views, for BI tools: what may be added up, and ratios of sums. */

export type Metric = {
  readonly name: string;
  /** SQL over the rows of the view. */
  readonly expression: string;
  readonly description: string;
  /** How Superset writes it, in d3's format. */
  readonly format?: string;
};

const MONEY = ',.2f';
const COUNT = ',d';

const sum = (name: string, description: string, format = COUNT): Metric => ({
  name,
  expression: `SUM(${name})`,
  description,
  format,
});
const count = (name: string, description: string, filter = ''): Metric => ({
  name,
  expression: filter === '' ? 'COUNT(*)' : `COUNT(*) FILTER (WHERE ${filter})`,
  description,
  format: COUNT,
});

/** Nothing, where rows of several currencies come together: they are not added up. */
const inOneCurrency = (expression: string) =>
  `CASE WHEN COUNT(DISTINCT COALESCE(currency, '')) = 1 THEN ${expression} END`;
const money = (name: string, description: string): Metric => ({
  ...sum(name, `${description} Empty for several currencies.`, MONEY),
  expression: inOneCurrency(`SUM(${name})`),
});
const moneyOfSales = (name: string, column: string, description: string): Metric => ({
  ...money(name, description),
  expression: inOneCurrency(`SUM(${column}) FILTER (WHERE is_sale)`),
});

const ORDERS = sum('orders', 'Number of sales.');
const REVENUE = money('revenue', 'Sum of the order totals of the sales.');
const AVERAGE: Metric = {
  name: 'average_order_value',
  expression: inOneCurrency('SUM(revenue) / NULLIF(SUM(orders), 0)'),
  description: 'Revenue per sale, right over any days. Empty for several currencies.',
  format: MONEY,
};
const OUTSTANDING = money('outstanding', 'What buyers still owe.');

export const METRICS: Readonly<Record<string, readonly Metric[]>> = {
  'bi.daily_sales': [
    REVENUE,
    ORDERS,
    AVERAGE,
    money('paid', 'Amount paid for these sales so far.'),
    money('goods_amount', 'Line totals of the sales, after discount on the lines.'),
    money('delivery_amount', 'Delivery prices of the sales.'),
    money('cancelled_amount', 'Totals of the cancelled orders.'),
    money('returned_amount', 'Totals of the returned orders.'),
    sum('items', 'Units in the sales.', ',.0f'),
    sum(
      'new_customers',
      'Customers whose very first sale is among these. Empty while older orders are not loaded.',
    ),
    sum('cancelled_orders', 'Orders that are now cancelled.'),
    sum('returned_orders', 'Orders that are now returned.'),
  ],
  'bi.product_sales': [
    money('revenue', 'Sum of the line totals after discount.'),
    sum('quantity', 'Units sold.', ',.0f'),
    money('line_discount', 'Discounts on the lines.'),
  ],
  'bi.sales_by_hour': [ORDERS, REVENUE],
  'bi.group_sales': [ORDERS, REVENUE, AVERAGE],
  'bi.sales_by_field': [ORDERS, REVENUE, AVERAGE],
  'bi.orders': [
    count('orders', 'Number of sales, as in daily_sales.', 'is_sale'),
    count('all_orders', 'All orders, cancelled and deleted ones included.'),
    moneyOfSales('revenue', 'order_sum', 'Sum of the order totals of the sales.'),
    {
      name: 'customers',
      expression: 'COUNT(DISTINCT customer_key) FILTER (WHERE is_sale)',
      description: 'Distinct customers with a sale. Of one shop.',
      format: COUNT,
    },
  ],
  'bi.order_lines': [
    moneyOfSales('revenue', 'line_total', 'Sum of the line totals of the sales.'),
    {
      name: 'quantity',
      expression: 'SUM(quantity) FILTER (WHERE is_sale)',
      description: 'Units sold.',
      format: ',.0f',
    },
  ],
  'bi.customers': [count('customers', 'Number of customers with a sale.')],
  'bi.open_orders': [count('open_orders', 'Orders still to be completed.'), OUTSTANDING],
  'bi.payments': [OUTSTANDING, money('refunded_amount', 'By how much paid amounts were seen to fall.')],
  'bi.returns': [
    count('returns', 'Orders that were returned.'),
    money('order_sum', 'Totals of the returned orders.'),
  ],
  'bi.status_funnel': [
    sum('orders_reached', 'Orders that were ever seen in it. Filter on level.'),
    sum('orders_now', 'Orders that are in it now. Filter on level.'),
  ],
  'bi.delivery_times': [
    count('deliveries', 'Orders that were seen to become delivered.'),
    {
      name: 'median_days',
      expression: 'PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY days_to_deliver)',
      description: 'Half of the deliveries took at most so many days.',
      format: ',.1f',
    },
  ],
};
