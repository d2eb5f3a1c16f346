import { UsageError } from '../../model/errors.ts';
import type { ShopContext } from './context.ts';

/** @throws UsageError when the first day of a range is still in the future in the shop's time zone */
export function assertNotFuture(ports: Pick<ShopContext, 'now' | 'shop'>, from: Temporal.PlainDate): void {
  const last = today(ports);
  if (Temporal.PlainDate.compare(from, last) <= 0) return;
  throw new UsageError(
    `--from ${from.toString()} is in the future: today is ${last.toString()} in the shop's time zone`,
  );
}

export function today({ now, shop }: Pick<ShopContext, 'now' | 'shop'>): Temporal.PlainDate {
  return now().toZonedDateTimeISO(shop.timezone).toPlainDate();
}

/** The days that the ledger keeps what concerns these days under: those to come are part of today, which is always read with them. */
export function ledgerDays(
  ports: Pick<ShopContext, 'now' | 'shop'>,
  days: readonly string[],
): readonly string[] {
  const present = today(ports).toString();
  return [...new Set(days.map((day) => (day > present ? present : day)))];
}
