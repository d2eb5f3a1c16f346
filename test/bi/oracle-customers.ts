/** What the views about customers must say, worked out in whole cents and plain loops. */
import { average, groups, money, percent, sum } from './exact.ts';
import { type Fact, salesOf } from './facts.ts';

export function customers(facts: readonly Fact[]) {
  return groups(salesOf(facts), ({ customer, currency }) => [customer, currency]).map((sales) => {
    const days = sales.map(({ day }) => day).toSorted();
    const cents = sum(sales.map((sale) => sale.cents));
    return {
      currency: sales[0].currency,
      first_order_date: days[0] ?? '',
      last_order_date: days.at(-1) ?? '',
      orders: sales.length,
      lifetime_revenue: money(cents),
      avg_order_value: average(cents, sales.length),
      is_repeat: sales.length > 1,
      is_guest: sales[0].isGuest,
    };
  });
}

/** Below this number of customers in a currency nobody is scored. */
const FEWEST_PEERS = 5;

export function rfm(facts: readonly Fact[]) {
  const everyone = customers(facts).map((row) => ({
    ...row,
    cents: Number(row.lifetime_revenue.replace('.', '')),
  }));
  return everyone.map((row) => {
    const peers = everyone.filter(({ currency }) => currency === row.currency);
    const score = (isBetter: (peer: typeof row) => boolean, among = peers) =>
      5 - Math.floor((5 * among.filter(isBetter).length) / among.length);
    const returned = peers.filter(({ orders }) => orders > 1);
    const recency = score((peer) => peer.last_order_date > row.last_order_date);
    const frequency = row.orders === 1 ? 1 : score((peer) => peer.orders > row.orders, returned);
    const monetary = score((peer) => peer.cents > row.cents);
    const isScored = peers.length >= FEWEST_PEERS;
    return {
      currency: row.currency,
      last_order_date: row.last_order_date,
      frequency: row.orders,
      monetary: row.lifetime_revenue,
      recency_score: isScored ? recency : null,
      frequency_score: isScored ? frequency : null,
      monetary_score: isScored ? monetary : null,
      rfm_score: isScored ? `${recency}${frequency}${monetary}` : null,
      segment: isScored ? segmentOf(recency, frequency, row.orders) : null,
      is_guest: row.is_guest,
    };
  });
}

/** By recency from 1 to 5, then frequency from 1 to 5. */
const SEGMENTS = [
  ['lost', 'lost', 'at risk', 'cannot lose', 'cannot lose'],
  ['hibernating', 'hibernating', 'at risk', 'cannot lose', 'cannot lose'],
  ['needs attention', 'needs attention', 'loyal', 'loyal', 'loyal'],
  ['promising', 'promising', 'loyal', 'champions', 'champions'],
  ['promising', 'promising', 'loyal', 'champions', 'champions'],
];

function segmentOf(recency: number, frequency: number, orders: number): string | undefined {
  const segment = SEGMENTS[recency - 1]?.[frequency - 1];
  return segment === 'promising' && orders === 1 ? 'new' : segment;
}

export function cohorts(facts: readonly Fact[]) {
  return groups(salesOf(facts), ({ currency }) => [currency]).flatMap((sales) => {
    const months = monthsOf(sales);
    const cohortOf = new Map(
      groups(sales, ({ customer }) => [customer]).map((own) => [own[0].customer, monthsOf(own)[0]]),
    );
    return [...new Set(cohortOf.values())].flatMap((cohort = '') => {
      const size = [...cohortOf.values()].filter((month) => month === cohort).length;
      return monthsBetween(cohort, months.at(-1) ?? '').map((month, monthsSince) => {
        const bought = sales.filter((sale) => sale.month === month && cohortOf.get(sale.customer) === cohort);
        const buyers = new Set(bought.map(({ customer }) => customer)).size;
        return {
          cohort_month: cohort,
          currency: sales[0].currency,
          months_since: monthsSince,
          cohort_customers: size,
          customers: buyers,
          orders: bought.length,
          revenue: money(sum(bought.map(({ cents }) => cents))),
          retention_percent: percent(buyers, size),
        };
      });
    });
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
