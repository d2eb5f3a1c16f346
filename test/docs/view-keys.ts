/** What the database cannot say of its views: which columns tell their rows apart, and what they point to. */

export type ViewKeys = {
  /** No two rows agree in all of these; a NULL is a value like any other here. */
  readonly key: readonly string[];
  /** View -> the columns that hold its key, in the order of that key. A NULL among them points to nothing. */
  readonly pointsTo?: Readonly<Record<string, readonly string[]>>;
};

const ofOrder = { 'bi.orders': ['shop_id', 'order_id'] };

export const VIEW_KEYS: Readonly<Record<string, ViewKeys>> = {
  'bi.basket': { key: ['shop_id', 'product_oid', 'with_product_oid'] },
  'bi.calendar': { key: ['day'] },
  'bi.cohort_revenue': {
    key: ['shop_id', 'cohort_month', 'months_since', 'currency'],
    pointsTo: { 'bi.cohorts_monthly': ['shop_id', 'cohort_month', 'months_since'] },
  },
  'bi.cohorts_monthly': { key: ['shop_id', 'cohort_month', 'months_since'] },
  'bi.completeness': { key: ['shop_id', 'day'], pointsTo: { 'bi.sync_freshness': ['shop_id'] } },
  'bi.customer_currencies': {
    key: ['shop_id', 'customer_key', 'currency'],
    pointsTo: { 'bi.customers': ['shop_id', 'customer_key'] },
  },
  'bi.customer_rfm': {
    key: ['shop_id', 'customer_key'],
    pointsTo: { 'bi.customers': ['shop_id', 'customer_key'] },
  },
  'bi.customers': {
    key: ['shop_id', 'customer_key'],
    pointsTo: { 'bi.user_groups': ['shop_id', 'group_oid'] },
  },
  'bi.daily_sales': {
    key: ['shop_id', 'order_date', 'currency'],
    pointsTo: { 'bi.calendar': ['order_date'] },
  },
  'bi.data_quality': { key: ['shop_id', 'order_id'], pointsTo: ofOrder },
  'bi.delivery_times': { key: ['shop_id', 'order_id'], pointsTo: ofOrder },
  'bi.group_sales': {
    key: ['shop_id', 'order_date', 'group_oid', 'is_guest', 'currency'],
    pointsTo: { 'bi.user_groups': ['shop_id', 'group_oid'] },
  },
  'bi.open_orders': { key: ['shop_id', 'order_id'], pointsTo: ofOrder },
  'bi.order_fields': { key: ['shop_id', 'order_id', 'field_no'], pointsTo: ofOrder },
  'bi.order_history': { key: ['shop_id', 'order_id', 'seq'], pointsTo: ofOrder },
  'bi.order_lines': {
    key: ['shop_id', 'order_id', 'line_no'],
    pointsTo: ofOrder,
  },
  'bi.order_versions': { key: ['shop_id', 'order_id', 'valid_from'], pointsTo: ofOrder },
  'bi.orders': {
    key: ['shop_id', 'order_id'],
    pointsTo: {
      'bi.shops': ['shop_id'],
      'bi.statuses': ['shop_id', 'status_code'],
      'bi.sync_freshness': ['shop_id'],
      'bi.unverified_days': ['shop_id'],
      'bi.user_groups': ['shop_id', 'group_oid'],
    },
  },
  'bi.payments': { key: ['shop_id', 'order_id'], pointsTo: ofOrder },
  'bi.product_sales': {
    key: ['shop_id', 'order_date', 'product_oid', 'product_name', 'sku', 'currency'],
  },
  'bi.products': { key: ['shop_id', 'product_oid'] },
  'bi.returns': { key: ['shop_id', 'order_id'], pointsTo: ofOrder },
  'bi.sales_by_field': {
    key: ['shop_id', 'order_date', 'field_key', 'value', 'is_hidden', 'currency'],
  },
  'bi.sales_by_hour': { key: ['shop_id', 'order_date', 'order_hour', 'currency'] },
  'bi.shops': { key: ['shop_id'] },
  'bi.status_funnel': {
    key: ['shop_id', 'order_month', 'currency', 'source', 'level', 'stage', 'status_code'],
    pointsTo: { 'bi.statuses': ['shop_id', 'status_code'] },
  },
  'bi.status_periods': { key: ['shop_id', 'order_id', 'period_no'], pointsTo: ofOrder },
  'bi.statuses': { key: ['shop_id', 'status_code'] },
  'bi.sync_freshness': { key: ['shop_id'] },
  'bi.unclassified_statuses': {
    key: ['shop_id', 'kind', 'code'],
    pointsTo: { 'bi.sync_freshness': ['shop_id'] },
  },
  'bi.unverified_days': { key: ['shop_id'], pointsTo: { 'bi.shops': ['shop_id'] } },
  'bi.user_groups': { key: ['shop_id', 'group_oid'] },
  'bi_pii.order_contacts': { key: ['shop_id', 'order_id'], pointsTo: ofOrder },
  'bi_pii.users': { key: ['shop_id', 'user_oid'] },
};
