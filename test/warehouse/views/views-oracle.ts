/** What the views must say of a set of orders, worked out in whole cents and plain loops, with no SQL. */

export type Line = {
  readonly product: string | null;
  readonly name: string | null;
  readonly sku: string | null;
  readonly quantity: number | null;
  readonly cents: number | null;
  readonly listCents: number | null;
};

export type Order = {
  readonly id: number;
  /** ISO date; null when the shop sent none that could be read. */
  readonly day: string | null;
  readonly status: Status;
  readonly currency: string | null;
  readonly cents: number | null;
  readonly paidCents: number | null;
  readonly items: number | null;
  readonly customer: string;
  readonly isDeleted: boolean;
  readonly isMissing: boolean;
  readonly lines: readonly Line[];
};

type Status = 'C' | 'A' | 'P' | 'F' | 'R' | 'K' | 'U' | '' | '?';

/** What an order with the status is counted as. */
const KIND: Readonly<Record<Status, string>> = {
  C: 'sale',
  A: 'sale',
  P: 'sale',
  F: 'cancelled',
  R: 'returned',
  K: 'returned',
  U: 'draft',
  '': 'other',
  '?': 'other',
};

const isSale = (order: Order) => KIND[order.status] === 'sale' && !order.isDeleted;

/** In the last hour of the day, and later for a lower id, so that the latest order is not the one with the highest id. */
export function createdAt(order: Order): string | null {
  if (order.day === null) return null;
  return Temporal.Instant.from(`${order.day}T23:59:59.999Z`)
    .subtract({ milliseconds: order.id })
    .toString({ smallestUnit: 'millisecond' });
}

export function dailySales(orders: readonly Order[]) {
  const live = orders.filter((order) => !order.isDeleted);
  return [...groups(live, (order) => [order.day, order.currency])].map((group) => {
    const sales = group.filter(isSale);
    const customers = new Set(sales.map((order) => order.customer));
    const day = group[0]?.day ?? null;
    const newcomers = sales.filter((order) => firstSale(orders, order.customer) === order).length;
    const countOf = (kind: string) => group.filter((order) => KIND[order.status] === kind).length;
    return {
      order_date: day,
      currency: group[0]?.currency ?? null,
      orders: sales.length,
      revenue: money(sum(sales.map((order) => order.cents))),
      paid: money(sum(sales.map((order) => order.paidCents))),
      avg_order_value: average(sales.map((order) => order.cents)),
      items: sum(sales.map(unitsOf)).toFixed(3),
      customers: customers.size,
      new_customers: newcomers,
      returning_customers: customers.size - newcomers,
      cancelled_orders: countOf('cancelled'),
      returned_orders: countOf('returned'),
      draft_orders: countOf('draft'),
      other_orders: countOf('other'),
      ...amounts(group, sales),
      history_from: null,
    };
  });
}

/** None of these orders has a delivery or a discount as a whole. */
function amounts(group: readonly Order[], sales: readonly Order[]) {
  const goods = sum(sales.map(goodsOf));
  const orderedAs = (kind: string) =>
    sum(group.filter((order) => KIND[order.status] === kind).map((order) => order.cents));
  return {
    goods_amount: money(goods),
    line_discount: money(sum(sales.map(discountOf))),
    order_discount: '0.00',
    delivery_amount: '0.00',
    other_amount: money(sum(sales.map((order) => order.cents)) - goods),
    cancelled_amount: money(orderedAs('cancelled')),
    returned_amount: money(orderedAs('returned')),
  };
}

/** The sum over an order's lines; null without lines, or where a line has none. */
function overLines({ lines }: Order, value: (line: Line) => number | null): number | null {
  const values = lines.map(value);
  return values.length === 0 || values.includes(null) ? null : sum(values);
}

const unitsOf = (order: Order) => overLines(order, ({ quantity }) => quantity);
const goodsOf = (order: Order) => overLines(order, ({ cents }) => cents);

function discountOf(order: Order): number | null {
  const goods = goodsOf(order);
  // A list total of 0 was not sent, but of what costs nothing.
  const list = overLines(order, ({ cents, listCents }) =>
    listCents === 0 && cents !== 0 ? null : listCents,
  );
  return goods === null || list === null ? null : list - goods;
}

/** Those without a date come last; of several at one moment, the one with the lowest number. */
function firstSale(orders: readonly Order[], customer: string): Order | undefined {
  const moment = (order: Order) => createdAt(order) ?? 'zzz';
  return orders
    .filter((order) => isSale(order) && order.customer === customer)
    .toSorted((left, right) => moment(left).localeCompare(moment(right)) || left.id - right.id)[0];
}

/** One row per customer; the amounts are those in the currency of most sales, or of these the latest. */
export function customers(orders: readonly Order[]) {
  const sales = orders.filter(isSale);
  return [...groups(sales, (order) => [order.customer])].map((own) => {
    const inCurrencies = [...groups(own, (order) => [order.currency])];
    const main = inCurrencies.toSorted(mainFirst)[0] ?? own;
    return {
      customer_key: own[0]?.customer,
      currency: main[0]?.currency ?? null,
      first_order_date: days(own)[0] ?? null,
      last_order_date: days(own).at(-1) ?? null,
      orders: main.length,
      lifetime_revenue: money(sum(main.map((order) => order.cents))),
      avg_order_value: average(main.map((order) => order.cents)),
      is_repeat: own.length > 1,
      is_guest: !own[0]?.customer.startsWith('u:'),
      all_orders: own.length,
      currencies: inCurrencies.length,
      registered_on: null,
      history_from: null,
    };
  });
}

function mainFirst(left: readonly Order[], right: readonly Order[]): number {
  const latest = (own: readonly Order[]) =>
    own
      .map((order) => `${createdAt(order) ?? ''} ${String(order.id).padStart(12, '0')}`)
      .toSorted()
      .at(-1) ?? '';
  return right.length - left.length || latest(right).localeCompare(latest(left));
}

export function productSales(orders: readonly Order[]) {
  const sold = orders.filter(isSale).flatMap((order) => order.lines.map((line, at) => ({ order, line, at })));
  const identity = (line: Line) => line.product ?? `named ${line.name}`;
  const rows = groups(sold, ({ order, line }) => [order.day, identity(line), line.sku, order.currency]);
  return [...rows].map((group) => {
    const first = group[0];
    const named = group.filter(({ line }) => line.name !== null).toSorted(latestFirst);
    const whole = group.filter(({ line }) => line.quantity !== null && line.cents !== null);
    const units = sum(whole.map(({ line }) => line.quantity));
    return {
      order_date: first?.order.day ?? null,
      product_oid: first?.line.product ?? null,
      product_name: named[0]?.line.name ?? null,
      sku: first?.line.sku ?? null,
      currency: first?.order.currency ?? null,
      orders: new Set(group.map(({ order }) => order.id)).size,
      quantity: sum(group.map(({ line }) => line.quantity)).toFixed(3),
      revenue: money(sum(group.map(({ line }) => line.cents))),
      avg_unit_price:
        units === 0 ? null : money(Math.round(sum(whole.map(({ line }) => line.cents)) / units)),
      line_discount: money(sum(group.map(({ line }) => discount(line)))),
    };
  });
}

type Sold = { readonly order: Order; readonly at: number };

function latestFirst(left: Sold, right: Sold): number {
  const byTime = (createdAt(right.order) ?? '').localeCompare(createdAt(left.order) ?? '');
  return byTime || right.order.id - left.order.id || right.at - left.at;
}

function discount({ cents, listCents }: Line): number | null {
  return cents === null || listCents === null || listCents === 0 ? null : listCents - cents;
}

function groups<Item>(
  items: readonly Item[],
  key: (item: Item) => readonly (string | null)[],
): Iterable<readonly Item[]> {
  return Map.groupBy(items, (item) => JSON.stringify(key(item))).values();
}

const days = (orders: readonly Order[]) => orders.flatMap((order) => order.day ?? []).toSorted();

const sum = (values: readonly (number | null)[]) =>
  values.reduce<number>((all, value) => all + (value ?? 0), 0);

const money = (cents: number) => (cents / 100).toFixed(2);

function average(values: readonly (number | null)[]): string | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : money(Math.round(sum(known) / known.length));
}
