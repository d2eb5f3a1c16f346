/** What the views about orders, groups, products and payments must say, worked out in whole cents and plain loops. */
import type { SimGroup } from '../../src/simulator/shop/sim-users.ts';
import { average, groups, money, sum } from './exact.ts';
import { type Fact, salesOf } from './facts.ts';

const EARLIEST = (left: Fact, right: Fact) => (left.moment < right.moment ? -1 : 1);

/** Columns of bi.orders that are derived from the order, its lines and the customer's other orders. */
export function derivedColumns(facts: readonly Fact[]) {
  const places = new Map(
    groups(salesOf(facts), ({ customer }) => [customer]).flatMap((sales) =>
      sales.toSorted(EARLIEST).map(({ id }, at) => [id, at + 1] as const),
    ),
  );
  return facts.map((fact) => {
    const { lines } = fact.order;
    const date = fact.order.createdLocal.toPlainDate();
    const place = places.get(fact.id) ?? null;
    const listCents = sum(lines.map((line) => line.listTotalCents));
    return {
      order_id: String(fact.id),
      order_hour: fact.order.createdLocal.hour,
      order_weekday: date.dayOfWeek,
      order_week: date.subtract({ days: date.dayOfWeek - 1 }).toString(),
      order_month: fact.month,
      order_number_of_customer: place,
      is_first_order: place === null ? null : place === 1,
      lines_total: lines.length === 0 ? null : money(sum(lines.map((line) => line.totalCents))),
      list_total: lines.length === 0 ? null : money(listCents),
      order_discount: money(fact.discountCents),
      outstanding: money(outstandingCents(fact)),
      units: `${fact.units}.000`,
    };
  });
}

const outstandingCents = ({ kind, cents, paidCents }: Fact) =>
  kind === 'sale' ? Math.max(0, cents - paidCents) : 0;

export function salesByHour(facts: readonly Fact[]) {
  const hour = ({ order }: Fact) => order.createdLocal.hour;
  return groups(salesOf(facts), (fact) => [fact.day, hour(fact), fact.currency]).map((sales) => ({
    order_date: sales[0].day,
    order_weekday: sales[0].order.createdLocal.dayOfWeek,
    order_hour: hour(sales[0]),
    currency: sales[0].currency,
    ...amounts(sales),
  }));
}

function amounts(sales: readonly Fact[]) {
  const cents = sum(sales.map((sale) => sale.cents));
  return {
    orders: sales.length,
    revenue: money(cents),
    avg_order_value: average(cents, sales.length),
  };
}

/** @param groupOf number of a buyer's group */
export function groupSales(
  facts: readonly Fact[],
  tree: readonly SimGroup[],
  groupOf: ReadonlyMap<number, number>,
) {
  const group = (fact: Fact) => (fact.isGuest ? null : (groupOf.get(fact.order.buyerOid) ?? null));
  return groups(salesOf(facts), (fact) => [fact.day, group(fact), fact.isGuest, fact.currency]).map(
    (sales) => ({
      order_date: sales[0].day,
      group_oid: group(sales[0])?.toString() ?? null,
      user_group: tree.find(({ oid }) => oid === group(sales[0]))?.name ?? null,
      is_guest: sales[0].isGuest,
      currency: sales[0].currency,
      ...amounts(sales),
      paid: money(sum(sales.map(({ paidCents }) => paidCents))),
      customers: new Set(sales.map(({ customer }) => customer)).size,
    }),
  );
}

export function products(facts: readonly Fact[]) {
  const sold = facts.flatMap((fact) => fact.order.lines.map((line) => ({ fact, line })));
  return groups(sold, ({ line }) => [line.productOid]).map((rows) => {
    const sales = rows.filter(({ fact }) => fact.kind === 'sale');
    const days = sales.map(({ fact }) => fact.day).toSorted();
    const skus = [...new Set(rows.map(({ line }) => line.articul).filter((sku) => sku !== ''))];
    return {
      product_oid: String(rows[0].line.productOid),
      product_name: rows[0].line.name,
      skus: skus.length === 0 ? null : skus.toSorted().join(', '),
      first_sale_date: days[0] ?? null,
      last_sale_date: days.at(-1) ?? null,
      orders: new Set(sales.map(({ fact }) => fact.id)).size,
    };
  });
}

/** Statuses of the stages open and fulfilment. */
const OPEN = new Map(
  Object.entries({ open: 'ANGVZ', fulfilment: 'PSOM' }).flatMap(([stage, codes]) =>
    codes.split('').map((code) => [code, stage] as const),
  ),
);

export function openOrders(facts: readonly Fact[]) {
  return facts.flatMap((fact) => {
    const stage = OPEN.get(fact.order.status);
    if (stage === undefined) return [];
    return [
      {
        order_id: String(fact.id),
        order_date: fact.day,
        status_code: fact.order.status,
        stage,
        currency: fact.currency,
        order_sum: money(fact.cents),
        outstanding: money(outstandingCents(fact)),
      },
    ];
  });
}

export function returns(facts: readonly Fact[]) {
  return facts
    .filter(({ kind }) => kind === 'returned')
    .map((fact) => ({
      order_id: String(fact.id),
      order_date: fact.day,
      delivered_at: null,
      returned_at: null,
      days_to_return: null,
      currency: fact.currency,
      order_sum: money(fact.cents),
      paid_amount: money(fact.paidCents),
    }));
}
