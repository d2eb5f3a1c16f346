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
      items: sum(sales.map(({ items }) => items)),
      customers,
      new_customers: newcomers,
      cancelled_orders: countOf('cancelled'),
      returned_orders: countOf('returned'),
      draft_orders: countOf('draft'),
      other_orders: countOf('other'),
      returning_customers: customers - newcomers,
      paid_amount: money(sum(sales.map(({ paidCents }) => paidCents))),
    };
  });
}

/** @param peers how many customers must share a value, or the key of a field, for the view to show it */
export function salesByField(facts: readonly Fact[], peers: number) {
  const fields = entriesOf(facts);
  const isKnown = shares(fields, ({ key }) => [key], peers);
  const isShared = shares(fields, ({ key, text }) => [key, text], peers);
  const choices = new Set(
    groups(fields, ({ key }) => [key])
      .filter((entries) => entries.filter(isShared).length * 2 >= entries.length)
      .map(([{ key }]) => key),
  );
  const entries = entriesOf(salesOf(facts))
    .filter(isKnown)
    .map((entry) => ({ ...entry, value: choices.has(entry.key) && isShared(entry) ? entry.text : null }));
  return groups(entries, ({ day, key, value, currency }) => [day, key, value, currency]).map((group) => {
    const cents = sum(group.map((entry) => entry.cents));
    return {
      order_date: group[0].day,
      field_key: group[0].key,
      label: group[0].label,
      value: group[0].value,
      is_hidden: group[0].value === null,
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

type FieldEntry = ReturnType<typeof entriesOf>[number];

/** Whether an entry belongs to a group of so many customers who left anything by which to tell them apart. */
function shares(
  entries: readonly FieldEntry[],
  keyOf: (entry: FieldEntry) => readonly string[],
  peers: number,
): (entry: FieldEntry) => boolean {
  const shared = groups(entries, keyOf).filter((group) => {
    const customers = group
      .map(({ customer }) => customer)
      .filter((customer) => !customer.startsWith('order '));
    return new Set(customers).size >= peers;
  });
  const keys = new Set(shared.map(([entry]) => JSON.stringify(keyOf(entry))));
  return (entry) => keys.has(JSON.stringify(keyOf(entry)));
}

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
