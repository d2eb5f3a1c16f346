import type { Calendar } from '../../plan/days/calendar.ts';
import { dayNumber } from '../../plan/days/day-number.ts';
import type { DailyFigure } from '../../warehouse/reports/shop-figures.ts';

/** Orders and sales of each day of a calendar. */
export type DailySeries = {
  /** Of every stage and currency. */
  readonly orders: readonly number[];
  /** The currency with the most orders first; of those that are rare and no code, there are none. */
  readonly sales: readonly { readonly currency: string | null; readonly revenue: readonly number[] }[];
};

const CODES = new Set(Intl.supportedValuesOf('currency'));
const MAX_CURRENCY_LENGTH = 5;
const MIN_CURRENCY_DAYS = 20;

/** A shop may send any text as a currency, and a person in it: what is no code or sign has to be short and usual. */
function findCurrencies(figures: readonly DailyFigure[]): ReadonlySet<string | null> {
  const byCurrency = [...Map.groupBy(figures, ({ currency }) => currency)];
  const known = byCurrency.filter(([currency, days]) => {
    if (currency === null || CODES.has(currency.toUpperCase()) || /^\p{Sc}$/u.test(currency)) return true;
    return currency.length <= MAX_CURRENCY_LENGTH && days.length >= MIN_CURRENCY_DAYS;
  });
  return new Set(known.map(([currency]) => currency));
}

/** @param calendar undefined where no day is known */
export function toSeries(calendar: Calendar | undefined, figures: readonly DailyFigure[]): DailySeries {
  if (calendar === undefined) return { orders: [], sales: [] };
  const first = dayNumber(calendar.firstDay);
  const zeros = () => calendar.states.map(() => 0);
  const orders = zeros();
  const shown = findCurrencies(figures);
  const sales = new Map<string | null, { revenue: number[]; count: number }>();
  for (const { day, currency, orders: count, revenue } of figures) {
    const index = dayNumber(Temporal.PlainDate.from(day)) - first;
    const before = orders[index];
    // Orders dated after today, or long before there were shops.
    if (before === undefined) continue;
    orders[index] = before + count;
    if (!shown.has(currency)) continue;
    const own = sales.get(currency) ?? { revenue: zeros(), count: 0 };
    own.revenue[index] = revenue;
    sales.set(currency, { revenue: own.revenue, count: own.count + count });
  }
  const byUse = [...sales].toSorted(([, one], [, other]) => other.count - one.count);
  return { orders, sales: byUse.map(([currency, { revenue }]) => ({ currency, revenue })) };
}
