/** Whatever may happen to orders, by the sync's own hand and by others', as values that a property test draws. */
import { sql } from 'drizzle-orm';
import * as fc from 'fast-check';

import type { OrderToLoad } from '../../src/warehouse/orders/load-orders.ts';
import { markOrders } from '../../src/warehouse/orders/missing-marks.ts';
import { refreshSummaries } from '../../src/warehouse/ops/refresh-summaries.ts';
import { at, fetched, lineRow, lost, orderToLoad, reread } from '../support/rows.ts';
import type { TestWarehouse } from './test-warehouse.ts';

export type Change = (warehouse: TestWarehouse, shopId: number) => Promise<unknown>;

export const STATUSES = ['A', 'C', 'C', 'F', 'R', 'U', 'X'];
const LATER = at('2026-03-20T00:00:00Z');
export const DAYS = ['2025-12-31', '2026-01-01', '2026-02-02', '2026-02-03', null];
const CUSTOMERS = ['u:1', 'u:2', 'g:a', 'g:b', 'o:'];

const id = fc.integer({ min: 1, max: 12 }).map(String);
const ids = fc.uniqueArray(id, { maxLength: 5 });
const status = fc.constantFrom(...STATUSES);
const cents = fc.option(fc.integer({ min: 0, max: 99_999 }), { freq: 8 });
const amount = cents.map((sum) => (sum === null ? null : (sum / 100).toFixed(2)));
const product = fc.constantFrom('1', '2', '3', null);

/** An order of any kind, with up to three lines; its moment lies within its day. */
export const anyOrder = (orderId: fc.Arbitrary<string>): fc.Arbitrary<OrderToLoad> =>
  fc
    .record({
      orderId,
      day: fc.constantFrom(...DAYS),
      hour: fc.integer({ min: 2, max: 9 }),
      customer: fc.constantFrom(...CUSTOMERS),
      currency: fc.constantFrom('EUR', 'EUR', 'USD', null),
      status,
      sum: amount,
      paid: amount,
      items: fc.option(fc.integer({ min: 0, max: 9 })),
      products: fc.option(fc.array(product, { maxLength: 3 }), { freq: 4 }),
    })
    .map((drawn) => {
      const [, buyer] = /^u:(.+)$/.exec(drawn.customer) ?? [];
      const time = drawn.day === null ? null : `${drawn.day}T0${drawn.hour}:00:00`;
      return orderToLoad(drawn.orderId, {
        row: {
          status_code: drawn.status,
          created_on: drawn.day,
          created_local: time,
          created_at: time === null ? null : Temporal.Instant.from(`${time}Z`),
          customer_key: drawn.customer === 'o:' ? `o:${drawn.orderId}` : drawn.customer,
          buyer_oid: buyer ?? '6',
          is_guest: buyer === undefined,
          currency: drawn.currency,
          order_sum: drawn.sum,
          paid_amount: drawn.paid,
          item_count: drawn.items?.toString() ?? null,
        },
        lines:
          drawn.products === null
            ? lost()
            : fetched(drawn.products.map((oid, at) => lineRow(drawn.orderId, at + 1, { product_oid: oid }))),
      });
    });

export const anyOrders = fc.uniqueArray(anyOrder(id), { maxLength: 6, selector: ({ row }) => row.order_id });

/** Loads what a walk saw. */
const load = anyOrders.map(
  (orders): Change =>
    (warehouse, shopId) =>
      warehouse.load(shopId, orders),
);
/** Reads what was loaded in another way, as a replay does. */
const rewrite = anyOrders.map((orders): Change => async (warehouse, shopId) => {
  return warehouse.load(shopId, orders.map(reread), { isReread: true });
});
export const mark = fc.tuple(ids, fc.constantFrom('missing', 'deleted', 'found')).map(
  ([given, kind]): Change =>
    (warehouse, shopId) =>
      warehouse.write(async (tx) => {
        if (kind === 'found') return markOrders(tx, shopId, { returned: given }, LATER);
        await markOrders(tx, shopId, { missing: given }, LATER);
        if (kind === 'deleted') await markOrders(tx, shopId, { deleted: given }, LATER);
      }),
);

type Drawn = {
  readonly order: string;
  readonly code: string;
  readonly day: string | null;
  readonly oid: string | null;
};

/** What somebody may type into psql: of every third order of a shop, or of all. */
export const EDITS: Readonly<Record<string, (shop: number, drawn: Drawn) => ReturnType<typeof sql>>> = {
  'what a sale is': (shop, { code }) =>
    sql`UPDATE core.order_statuses SET is_sale = NOT is_sale WHERE shop_id = ${shop} AND status_code = ${code}`,
  'the stage of a status': (shop, { code }) =>
    sql`UPDATE core.order_statuses SET stage = 'returned' WHERE shop_id = ${shop} AND status_code = ${code}`,
  'the name of a status': (shop, { code }) =>
    sql`UPDATE core.order_statuses SET name_local = 'own' WHERE shop_id = ${shop} AND status_code = ${code}`,
  'the group of a user': (shop, { order }) =>
    sql`UPDATE core.users SET group_oid = ${Number(order) % 2} WHERE shop_id = ${shop} AND user_oid = 1`,
  'the name of a group': (shop, { order }) => sql`
    INSERT INTO core.user_groups (shop_id, group_oid, name) VALUES (${shop}, 1, ${order})
    ON CONFLICT (shop_id, group_oid) DO UPDATE SET name = excluded.name`,
  'the day of orders': (shop, { order, day }) =>
    sql`UPDATE core.orders SET created_on = ${day}, created_at = ${day}::date WHERE ${third(shop, order)}`,
  'the sum of orders': (shop) =>
    sql`UPDATE core.orders SET order_sum = order_sum + 1 WHERE shop_id = ${shop}`,
  'what the lines of orders come to': (shop, { order }) => sql`
    UPDATE core.orders SET lines_total = 7, list_total = 9, units = 3, delivery_price = 2, discount_raw = '10%', discount_percent = 10
    WHERE ${third(shop, order)}`,
  'the currency of orders': (shop, { order }) =>
    sql`UPDATE core.orders SET currency = 'CHF' WHERE ${third(shop, order)}`,
  'the product of lines': (shop, { order, oid }) =>
    sql`UPDATE core.order_lines SET product_oid = ${oid} WHERE ${third(shop, order)} AND line_no = 1`,
  'the article number of lines': (shop, { order, code }) =>
    sql`UPDATE core.order_lines SET sku = ${code} WHERE ${third(shop, order)}`,
  'the source of orders': (shop, { order, code }) =>
    sql`UPDATE core.order_persons SET fields = jsonb_build_object('source', jsonb_build_object('value', ${code}::text)) WHERE ${third(shop, order)}`,
  'no more persons': (shop, { order }) => sql`DELETE FROM core.order_persons WHERE ${third(shop, order)}`,
  'whether the source is shown': (shop, { order }) => sql`
    INSERT INTO core.order_form_fields (shop_id, field_key, is_shown) VALUES (${shop}, 'source', ${Number(order) % 2 === 0})
    ON CONFLICT (shop_id, field_key) DO UPDATE SET is_shown = excluded.is_shown`,
  'no more third lines': (shop) => sql`DELETE FROM core.order_lines WHERE shop_id = ${shop} AND line_no = 3`,
  'more lines': (shop, { order }) => sql`
    INSERT INTO core.order_lines (shop_id, order_id, line_no, product_oid)
    SELECT shop_id, order_id, 9, 7 FROM core.orders WHERE ${third(shop, order)} ON CONFLICT DO NOTHING`,
  'a state of the past': (shop, { order, code }) =>
    sql`UPDATE core.order_history SET status_code = ${code} WHERE ${third(shop, order)} AND observed_until IS NOT NULL`,
  'one state more of the past': (shop, { order }) => sql`
    INSERT INTO core.order_history (shop_id, order_id, seq, status_code, pay_status_code, observed_at, observed_until, is_initial)
    SELECT shop_id, order_id, 0, 'Z', 'S', now(), now(), false FROM core.orders WHERE ${third(shop, order)}
    ON CONFLICT DO NOTHING`,
  'no more past': (shop) => sql`DELETE FROM core.order_history WHERE shop_id = ${shop} AND seq = 1`,
  'no more orders': (shop, { order }) => sql`DELETE FROM core.orders WHERE ${third(shop, order)}`,
  'the whole past': () => sql`TRUNCATE core.order_history`,
  'all persons': () => sql`TRUNCATE core.order_persons`,
  'all lines': () => sql`TRUNCATE core.order_lines`,
  'all orders': () => sql`TRUNCATE core.orders CASCADE`,
};
const third = (shop: number, order: string) => sql`shop_id = ${shop} AND order_id % 3 = ${order}::bigint % 3`;

const edit = fc
  .record({
    drawn: fc.record({ order: id, code: status, day: fc.constantFrom(...DAYS), oid: product }),
    make: fc.constantFrom(...Object.values(EDITS)),
  })
  .map(
    ({ drawn, make }): Change =>
      (warehouse, shopId) =>
        warehouse.rows(make(shopId, drawn)),
  );

const refresh: fc.Arbitrary<Change> = fc.constant(({ db }) => refreshSummaries(db));

/** Mostly loads, between refreshes. */
export const anyChange: fc.Arbitrary<Change> = fc.oneof(
  { weight: 5, arbitrary: load },
  { weight: 1, arbitrary: rewrite },
  { weight: 2, arbitrary: mark },
  { weight: 4, arbitrary: edit },
  { weight: 3, arbitrary: refresh },
);

/** What a sync or a replay writes. */
export const anySynced: fc.Arbitrary<Change> = fc.oneof(
  { weight: 3, arbitrary: load },
  { weight: 1, arbitrary: rewrite },
  { weight: 2, arbitrary: mark },
);
