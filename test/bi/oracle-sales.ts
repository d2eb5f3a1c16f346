/** What the views about sales must say, worked out in whole cents and plain loops. */
import { average, groups, money, percent, quotient, sum } from './exact.ts';
import { type Fact, salesOf } from './facts.ts';

export function dailySales(facts: readonly Fact[]) {
  const firsts = new Set(
    groups(salesOf(facts), ({ customer }) => [customer]).map(
      (sales) => sales.toSorted((left, right) => (left.moment < right.moment ? -1 : 1))[0]?.id,
    ),
  );
  return groups(facts, ({ day, currency }) => [day, currency]).map((group) => {
    const sales = salesOf(group);
    const customers = new Set(sales.map(({ customer }) => customer)).size;
    const newcomers = sales.filter(({ id }) => firsts.has(id)).length;
    const countOf = (kind: Fact['kind']) => group.filter((fact) => fact.kind === kind).length;
    const cents = sum(sales.map((sale) => sale.cents));
    return {
      order_date: group[0].day,
      currency: group[0].currency,
      orders: sales.length,
      revenue: money(cents),
      paid: money(sum(sales.map(({ paidCents }) => paidCents))),
      avg_order_value: average(cents, sales.length),
      items: sum(sales.map(({ units }) => units)).toFixed(3),
      customers,
      new_customers: newcomers,
      cancelled_orders: countOf('cancelled'),
      returned_orders: countOf('returned'),
      draft_orders: countOf('draft'),
      other_orders: countOf('other'),
      returning_customers: customers - newcomers,
      ...amounts(group, sales, cents),
      history_from: null,
    };
  });
}

/** Which columns add up to which: see the comment on the view. */
function amounts(group: readonly Fact[], sales: readonly Fact[], revenue: number) {
  const over = (value: (fact: Fact) => number) => sum(sales.map(value));
  const [goods, discount, delivery] = [
    over((f) => f.goodsCents),
    over((f) => f.discountCents),
    over((f) => f.deliveryCents),
  ];
  const orderedAs = (kind: Fact['kind']) =>
    money(sum(group.filter((fact) => fact.kind === kind).map(({ cents }) => cents)));
  return {
    goods_amount: money(goods),
    line_discount: money(over((f) => f.listCents - f.goodsCents)),
    order_discount: money(discount),
    delivery_amount: money(delivery),
    other_amount: money(revenue - (goods - discount + delivery)),
    cancelled_amount: orderedAs('cancelled'),
    returned_amount: orderedAs('returned'),
  };
}

/** @param decided the fields on which the owner decided, and whether they are shown; all others are left out */
export function salesByField(facts: readonly Fact[], decided: ReadonlyMap<string, boolean>) {
  const entries = entriesOf(salesOf(facts)).flatMap((entry) => {
    const value = entry.text.trim() || null;
    return decided.get(entry.key) === true ? [{ ...entry, value }] : [];
  });
  const keyOf = ({ day, key, value, currency }: (typeof entries)[number]) => [day, key, value, currency];
  return groups(entries, keyOf).map((group) => {
    const cents = sum(group.map((entry) => entry.cents));
    return {
      order_date: group[0].day,
      field_key: group[0].key,
      label: group[0].label,
      value: group[0].value,
      is_hidden: false,
      currency: group[0].currency,
      orders: group.length,
      revenue: money(cents),
      avg_order_value: average(cents, group.length),
      customers: new Set(group.map(({ customer }) => customer)).size,
    };
  });
}

const entriesOf = (facts: readonly Fact[]) =>
  facts.flatMap((fact) =>
    fact.order.fields.map(({ key, label, value }) => ({ ...fact, key, label, text: String(value) })),
  );

export function basket(facts: readonly Fact[]) {
  const orders = salesOf(facts)
    .map(({ order }) => [...new Set(order.lines.map(({ productOid }) => productOid))])
    .filter((products) => products.length > 0);
  const holding = (...products: readonly number[]) =>
    orders.filter((order) => products.every((product) => order.includes(product))).length;
  const pairs = orders.flatMap((order) =>
    order.flatMap((one) => order.filter((other) => other !== one).map((other) => ({ one, other }))),
  );
  return groups(pairs, ({ one, other }) => [one, other]).map(([{ one, other }, ...rest]) => {
    const [together, ofOne, ofOther] = [rest.length + 1, holding(one), holding(other)];
    return {
      product_oid: String(one),
      with_product_oid: String(other),
      orders_together: together,
      product_orders: ofOne,
      with_product_orders: ofOther,
      all_orders: orders.length,
      support_percent: percent(together, orders.length),
      confidence_percent: percent(together, ofOne),
      lift: quotient(together * orders.length, ofOne * ofOther, 4),
    };
  });
}
