/** What the views about customers must say, worked out in whole cents and plain loops. */
import { average, groups, money, percent, sum } from './exact.ts';
import { type Fact, salesOf } from './facts.ts';

/** One row per customer and currency. */
export function customerCurrencies(facts: readonly Fact[]) {
  return groups(salesOf(facts), ({ customer }) => [customer]).flatMap((own) => {
    const rows = groups(own, ({ currency }) => [currency]).map((sales) => ({
      customer: sales[0].customer,
      currency: sales[0].currency,
      ...datesOf(sales),
      orders: sales.length,
      cents: sum(sales.map((sale) => sale.cents)),
      latest:
        sales
          .map(({ moment }) => moment)
          .toSorted()
          .at(-1) ?? '',
    }));
    const main = rows.toSorted(mainFirst)[0];
    return rows.map(({ latest, ...row }) => ({ ...row, is_main: latest === main?.latest }));
  });
}

type InCurrency = { readonly orders: number; readonly latest: string };

/** No two sales have the same moment. */
const mainFirst = (left: InCurrency, right: InCurrency) =>
  right.orders - left.orders || (left.latest < right.latest ? 1 : -1);

function datesOf(sales: readonly Fact[]) {
  const days = sales.map(({ day }) => day).toSorted();
  return { first_order_date: days[0] ?? '', last_order_date: days.at(-1) ?? '' };
}

/** One row per customer; the amounts are those in the main currency. */
export function customers(facts: readonly Fact[]) {
  const inCurrencies = customerCurrencies(facts);
  return groups(salesOf(facts), ({ customer }) => [customer]).map((sales) => {
    const own = inCurrencies.filter(({ customer }) => customer === sales[0].customer);
    const main = own.find(({ is_main: isMain }) => isMain) ?? { currency: '', cents: 0, orders: 0 };
    return {
      currency: main.currency,
      ...datesOf(sales),
      orders: main.orders,
      lifetime_revenue: money(main.cents),
      avg_order_value: average(main.cents, main.orders),
      is_repeat: sales.length > 1,
      is_guest: sales[0].isGuest,
      all_orders: sales.length,
      currencies: own.length,
    };
  });
}

/** The month of each customer's first sale in any currency. */
const cohortsOf = (sales: readonly Fact[]) =>
  new Map(
    groups(sales, ({ customer }) => [customer]).map((own) => [own[0].customer, monthsOf(own)[0] ?? '']),
  );

export function cohorts(facts: readonly Fact[]) {
  const sales = salesOf(facts);
  const cohortOf = cohortsOf(sales);
  return [...new Set(cohortOf.values())].flatMap((cohort) => {
    const size = [...cohortOf.values()].filter((month) => month === cohort).length;
    return monthsBetween(cohort, monthsOf(sales).at(-1) ?? '').map((month, monthsSince) => {
      const bought = sales.filter((sale) => sale.month === month && cohortOf.get(sale.customer) === cohort);
      const buyers = new Set(bought.map(({ customer }) => customer)).size;
      return {
        cohort_month: cohort,
        months_since: monthsSince,
        cohort_customers: size,
        customers: buyers,
        orders: bought.length,
        retention_percent: percent(buyers, size),
      };
    });
  });
}

export function cohortRevenue(facts: readonly Fact[]) {
  const sales = salesOf(facts);
  const cohortOf = cohortsOf(sales);
  const rows = groups(sales, ({ customer, month, currency }) => [cohortOf.get(customer), month, currency]);
  return rows.map((bought) => {
    const cohort = cohortOf.get(bought[0].customer) ?? '';
    return {
      cohort_month: cohort,
      months_since: monthsBetween(cohort, bought[0].month).length - 1,
      currency: bought[0].currency,
      customers: new Set(bought.map(({ customer }) => customer)).size,
      orders: bought.length,
      revenue: money(sum(bought.map(({ cents }) => cents))),
    };
  });
}

const monthsOf = (sales: readonly Fact[]) => sales.map(({ month }) => month).toSorted();

function monthsBetween(first: string, last: string): readonly string[] {
  const months: string[] = [];
  for (
    let month = Temporal.PlainDate.from(first);
    month.toString() <= last;
    month = month.add({ months: 1 })
  ) {
    months.push(month.toString());
  }
  return months;
}
