import type { SweepDeps } from './deps.ts';

/** No shop of the platform is taken to be older. */
const EARLIEST = Temporal.PlainDate.from('2000-01-01');
const MAX_ROUNDS = 3;

/**
 * Finds the first day that holds orders by halving the years since 2000: some fourteen requests of one row each. The
 * result is checked by one more, so that a passing empty answer does not cut history off.
 *
 * @param today the newest day to look at; returned when the shop holds no orders
 */
export async function findHistoryStart(
  { api, signal }: Pick<SweepDeps, 'api' | 'signal'>,
  today: Temporal.PlainDate,
): Promise<Temporal.PlainDate> {
  const hasOrdersUntil = async (day: Temporal.PlainDate) => {
    const dateTo = day.toPlainDateTime('23:59:59');
    return (await api.listOrders({ limit: 1, dateTo }, signal)).received > 0;
  };
  let latest = today;
  for (let round = 1; ; round++) {
    let low = EARLIEST;
    let high = latest;
    while (Temporal.PlainDate.compare(low, high) < 0) {
      const middle = low.add({ days: Math.floor(low.until(high).total('days') / 2) });
      if (await hasOrdersUntil(middle)) high = middle;
      else low = middle.add({ days: 1 });
    }
    const isFirst = low.equals(EARLIEST) || !(await hasOrdersUntil(low.subtract({ days: 1 })));
    if (isFirst || round === MAX_ROUNDS) return low;
    latest = low.subtract({ days: 1 });
  }
}
