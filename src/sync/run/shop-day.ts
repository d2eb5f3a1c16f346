import { UsageError } from '../../errors.ts';
import type { Ports } from './context.ts';

/** @throws UsageError when the first day of a range is still to come in the shop */
export function assertNotFuture(ports: Pick<Ports, 'now' | 'shop'>, from: Temporal.PlainDate): void {
  const last = today(ports);
  if (Temporal.PlainDate.compare(from, last) <= 0) return;
  throw new UsageError(`--from ${from.toString()} lies in the future: in the shop it is ${last.toString()}`);
}

/** The shop's own day at this moment. */
export function today({ now, shop }: Pick<Ports, 'now' | 'shop'>): Temporal.PlainDate {
  return now().toZonedDateTimeISO(shop.timezone).toPlainDate();
}
