import { learnPage } from '../shop-api/page-profile.ts';
import type { SweepDeps } from './deps.ts';

/** No shop of the platform is taken to be older. */
const EARLIEST = Temporal.PlainDate.from('2000-01-01');
const MAX_ROUNDS = 3;

type Deps = Pick<SweepDeps, 'api' | 'book' | 'signal'>;

/**
 * Finds the first day that holds orders by halving the years since 2000: some fourteen requests of one row each. The
 * result is checked by one more, so that a passing empty answer does not cut history off.
 *
 * @param latest the newest day to look at; returned when the shop holds no orders
 */
export async function findHistoryStart(deps: Deps, latest: Temporal.PlainDate): Promise<Temporal.PlainDate> {
  let end = latest;
  for (let round = 1; ; round++) {
    let low = EARLIEST;
    let high = end;
    while (Temporal.PlainDate.compare(low, high) < 0) {
      const middle = low.add({ days: Math.floor(low.until(high).total('days') / 2) });
      if (await hasOrdersUntil(deps, middle)) high = middle;
      else low = middle.add({ days: 1 });
    }
    if (round === MAX_ROUNDS || !(await hasOrdersBefore(deps, low))) return low;
    end = low.subtract({ days: 1 });
  }
}

/** Whether the shop lists orders older than a day: what was its first day may be so no more. */
export async function hasOrdersBefore(deps: Deps, day: Temporal.PlainDate): Promise<boolean> {
  return Temporal.PlainDate.compare(day, EARLIEST) > 0 && hasOrdersUntil(deps, day.subtract({ days: 1 }));
}

async function hasOrdersUntil({ api, book, signal }: Deps, day: Temporal.PlainDate): Promise<boolean> {
  const { received } = await api.listOrders({ limit: 1, dateTo: day.toPlainDateTime('23:59:59') }, signal);
  book.profile = learnPage(book.profile, received);
  return received > 0;
}
