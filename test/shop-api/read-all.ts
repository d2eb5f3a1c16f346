import { expect } from 'vitest';

import { DriftError } from '../../src/errors.ts';
import { createdMinute } from '../../src/normalize/order.ts';
import { afterOverflow, afterWhole, nextWindow, planRun, type Window } from '../../src/plan/window-plan.ts';
import type { ShopApi } from '../../src/shop-api/client.ts';
import type { ListRow } from '../../src/shop-api/orders.ts';
import { pageCapacity, type PageProfile, unknownProfile } from '../../src/shop-api/page-profile.ts';
import { readSpan, type SpanReading } from '../../src/shop-api/walk.ts';

export type ReadAllOptions = {
  /** First and last day. */
  readonly from: string;
  readonly to: string;
  /** @default knows nothing, for pages of 500 */
  readonly profile?: PageProfile;
  /** Orders by day, as a ledger has them. @default none */
  readonly expected?: ReadonlyMap<string, number>;
};

/** A window and what came of it; the reason where it could not be read whole. */
export type WindowReading = { readonly window: Window } & (
  | Extract<SpanReading, { kind: 'whole' }>
  | { readonly kind: 'drifted'; readonly reason: string }
);

export type ReadAll = {
  readonly readings: readonly WindowReading[];
  /** Of all windows that were read whole, in the order they were read; what was read twice stands here twice. */
  readonly ids: readonly number[];
  readonly profile: PageProfile;
};

/** Reads days as a sweep does, with nothing but the plan and the walk: window by window, newest first. */
export async function readAll(
  api: Pick<ShopApi, 'listOrders'>,
  { from, to, profile = unknownProfile(500), expected = new Map() }: ReadAllOptions,
): Promise<ReadAll> {
  const [first, last] = [Temporal.PlainDate.from(from), Temporal.PlainDate.from(to)];
  const days = [...expected].map(([day, count]) => ({ day: Temporal.PlainDate.from(day), expected: count }));
  const book = { profile };
  const readings: WindowReading[] = [];
  let plan = planRun(days, first, last);
  for (;;) {
    const window = nextWindow(plan, pageCapacity(book.profile));
    if (window === undefined) break;
    const reading = await readWindow(api, book, window);
    if (reading.kind === 'overflow') {
      plan = afterOverflow(plan, window, reading.sample, reading.matching);
    } else {
      plan = afterWhole(plan, window, reading.kind === 'whole' ? reading.rows.length : 0);
      readings.push({ ...reading, window });
    }
  }
  const rows = readings.flatMap((reading) => (reading.kind === 'whole' ? reading.rows : []));
  return { readings, ids: rows.map(({ orderId }) => Number(orderId)), profile: book.profile };
}

/** One walk, with a drift that does not end as a value. */
export async function readWindow(
  api: Pick<ShopApi, 'listOrders'>,
  book: { profile: PageProfile },
  window: Window,
): Promise<SpanReading | { readonly kind: 'drifted'; readonly reason: string }> {
  const createdOf = (row: ListRow) => createdMinute(row.raw);
  try {
    return await readSpan({ api, book, createdOf, now: () => Temporal.Now.instant() }, window);
  } catch (error) {
    if (error instanceof DriftError) return { kind: 'drifted', reason: error.message };
    throw error;
  }
}

export function ascending(ids: Iterable<number>): readonly number[] {
  return [...ids].toSorted((a, b) => a - b);
}

/** The windows follow one another from the end of the days to their beginning, without a gap. */
export function expectTiled(readings: readonly WindowReading[], from: string, to: string): void {
  let end = Temporal.PlainDateTime.from(to).add({ days: 1 });
  for (const { window } of readings) {
    expect(window.to.toString()).toBe(end.toString());
    expect(Temporal.PlainDateTime.compare(window.from, window.to)).toBeLessThan(0);
    end = window.from;
  }
  expect(end.toString()).toBe(Temporal.PlainDateTime.from(from).toString());
}
