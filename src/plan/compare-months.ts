/** Count and sum of one month; the sum in cents. */
export type MonthFigures = { readonly orders: number; readonly cents: bigint };

export type MonthComparison = {
  /** Such as `2026-01`. */
  readonly month: string;
  readonly shop: MonthFigures;
  readonly warehouse: MonthFigures;
  readonly isEqual: boolean;
};

const NONE: MonthFigures = { orders: 0, cents: 0n };

/** Puts the months of both sides side by side, ascending. */
export function compareMonths(
  shop: ReadonlyMap<string, MonthFigures>,
  warehouse: ReadonlyMap<string, MonthFigures>,
): readonly MonthComparison[] {
  const months = [...new Set([...shop.keys(), ...warehouse.keys()])].toSorted((a, b) => a.localeCompare(b));
  return months.map((month) => {
    const [ours, theirs] = [warehouse.get(month) ?? NONE, shop.get(month) ?? NONE];
    const isEqual = ours.orders === theirs.orders && ours.cents === theirs.cents;
    return { month, shop: theirs, warehouse: ours, isEqual };
  });
}

/** `1234.50` -> 123450n. The text has two decimals, as the normalizers and the database write it. */
export function toCents(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.');
  const cents = BigInt(whole.replace('-', '')) * 100n + BigInt(fraction.padEnd(2, '0').slice(0, 2));
  return decimal.startsWith('-') ? -cents : cents;
}

/** 123450n -> `1234.50` */
export function fromCents(cents: bigint): string {
  const digits = (cents < 0n ? -cents : cents).toString().padStart(3, '0');
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
