import { decimalText, decimalUnits } from '../../model/decimal.ts';

/** Count and sum of the orders of one month in one currency: the sum as a decimal, for people and programs. */
type MonthFigures = { readonly orders: number; readonly sum: string };
/** The same while it is added up. */
type Sum = { readonly orders: number; readonly cents: bigint };

/** `2026-01`, or `no date`, and the code of the currency in capitals; '' for none. */
export type MonthKey = { readonly month: string; readonly currency: string };

export type MonthComparison = MonthKey & {
  readonly shop: MonthFigures;
  readonly warehouse: MonthFigures;
  readonly is_equal: boolean;
};

/** The month of orders without a readable date. */
export const NO_MONTH = 'no date';

const NONE: Sum = { orders: 0, cents: 0n };

/** Figures by month and currency, to be added to. */
export class MonthBook {
  readonly figures = new Map<string, { readonly key: MonthKey; readonly sum: Sum }>();

  /** @param key the currency in small letters or capitals */
  add(key: MonthKey, orders: number, cents: bigint): void {
    const [month, currency] = [key.month, key.currency.toUpperCase()];
    const name = JSON.stringify([month, currency]);
    const before = this.figures.get(name)?.sum ?? NONE;
    const sum = { orders: before.orders + orders, cents: before.cents + cents };
    this.figures.set(name, { key: { month, currency }, sum });
  }
}

/** Puts the months of both sides side by side, ascending, those without a date last. */
export function compareMonths(shop: MonthBook, warehouse: MonthBook): readonly MonthComparison[] {
  return [...new Map([...shop.figures, ...warehouse.figures])]
    .map(([name, { key }]) => {
      const sumIn = ({ figures }: MonthBook) => figures.get(name)?.sum ?? NONE;
      const [theirs, ours] = [sumIn(shop), sumIn(warehouse)];
      const is_equal = ours.orders === theirs.orders && ours.cents === theirs.cents;
      return { ...key, shop: toFigures(theirs), warehouse: toFigures(ours), is_equal };
    })
    .toSorted((a, b) => a.month.localeCompare(b.month) || a.currency.localeCompare(b.currency));
}

/** Sums of all months, by currency, ascending. */
export function sumCurrencies(months: readonly MonthComparison[]): readonly Omit<MonthComparison, 'month'>[] {
  const byCurrency = Map.groupBy(months, ({ currency }) => currency);
  const sum = (all: readonly MonthFigures[]) =>
    toFigures({
      orders: all.reduce((orders, each) => orders + each.orders, 0),
      cents: all.reduce((cents, each) => cents + decimalUnits(each.sum), 0n),
    });
  return [...byCurrency]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([currency, all]) => ({
      currency,
      shop: sum(all.map((month) => month.shop)),
      warehouse: sum(all.map((month) => month.warehouse)),
      is_equal: all.every((month) => month.is_equal),
    }));
}

const toFigures = ({ orders, cents }: Sum): MonthFigures => ({ orders, sum: decimalText(cents, 2) });
