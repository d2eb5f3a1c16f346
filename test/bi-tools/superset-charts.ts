/** The charts of the dashboard for Superset, and where they are. */

export type Chart = {
  readonly name: string;
  /** Columns of the dashboard's grid, of 12. */
  readonly width: number;
  readonly height: number;
  readonly view: string;
  readonly type: string;
  /** What Superset calls the form data, but for the source and the type. */
  readonly params: Readonly<Record<string, unknown>>;
};

const FIGURE = { width: 3, height: 20, type: 'big_number_total', view: 'bi.daily_sales' };
const WHOLE_PERIOD = {
  clause: 'WHERE',
  comparator: 'No filter',
  expressionType: 'SIMPLE',
  operator: 'TEMPORAL_RANGE',
  subject: 'order_date',
};
const figure = (name: string, metric: string, format: string): Chart => ({
  ...FIGURE,
  name,
  params: { metric, y_axis_format: format, adhoc_filters: [WHOLE_PERIOD], header_font_size: 0.4 },
});

/** Over time, with a bar for each month or day. */
const overTime = (grain: string) => ({
  x_axis: 'order_date',
  time_grain_sqla: grain,
  adhoc_filters: [WHOLE_PERIOD],
  groupby: [],
  row_limit: 10_000,
  rich_tooltip: true,
  show_legend: true,
  x_axis_time_format: grain === 'P1M' ? '%b %Y' : '%d %b %Y',
});

/** Each row of the dashboard. */
export const CHART_ROWS: readonly (readonly Chart[])[] = [
  [
    figure('Revenue', 'revenue', ',.2f'),
    figure('Orders', 'orders', ',d'),
    figure('Average order value', 'average_order_value', ',.2f'),
    figure('New customers', 'new_customers', ',d'),
  ],
  [
    {
      name: 'Revenue by month',
      width: 6,
      height: 50,
      view: 'bi.daily_sales',
      type: 'echarts_timeseries_bar',
      params: { ...overTime('P1M'), metrics: ['revenue'], y_axis_format: '.3s' },
    },
    {
      name: 'Orders by day',
      width: 6,
      height: 50,
      view: 'bi.daily_sales',
      type: 'echarts_timeseries_bar',
      params: { ...overTime('P1D'), metrics: ['orders'], y_axis_format: ',d' },
    },
  ],
  [
    {
      name: 'Best-selling products',
      width: 6,
      height: 50,
      view: 'bi.product_sales',
      type: 'table',
      params: {
        query_mode: 'aggregate',
        groupby: ['product_name'],
        metrics: ['revenue', 'quantity'],
        adhoc_filters: [WHOLE_PERIOD],
        row_limit: 15,
        order_desc: true,
      },
    },
    {
      name: 'Sales by hour of the day',
      width: 6,
      height: 50,
      view: 'bi.sales_by_hour',
      type: 'echarts_timeseries_bar',
      params: {
        x_axis: 'order_hour',
        metrics: ['orders'],
        groupby: [],
        adhoc_filters: [WHOLE_PERIOD],
        row_limit: 100,
        x_axis_sort: 'order_hour',
        x_axis_sort_asc: true,
        y_axis_format: ',d',
      },
    },
  ],
  [
    {
      name: 'Open orders by status',
      width: 6,
      height: 40,
      view: 'bi.open_orders',
      type: 'table',
      params: {
        query_mode: 'aggregate',
        groupby: ['status'],
        metrics: ['open_orders', 'outstanding'],
        adhoc_filters: [],
        row_limit: 50,
        order_desc: true,
      },
    },
    {
      name: 'Cancelled and returned orders by month',
      width: 6,
      height: 40,
      view: 'bi.daily_sales',
      type: 'echarts_timeseries_bar',
      params: { ...overTime('P1M'), metrics: ['cancelled_orders', 'returned_orders'], y_axis_format: ',d' },
    },
  ],
];

export const CHARTS: readonly Chart[] = CHART_ROWS.flat();
