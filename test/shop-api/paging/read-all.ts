import { expect } from 'vitest';

import type { ShopApi } from '../../../src/shop-api/shop-api.ts';
import { type PageProfile, unknownProfile } from '../../../src/shop-api/paging/request-page.ts';
import type { Witnesses } from '../../../src/shop-api/paging/reach.ts';
import type { FinalReading } from '../../../src/shop-api/paging/reading.ts';
import { readWindows } from '../../../src/sync/sweep/orders/read-windows.ts';
import { SeenOrders } from '../../../src/sync/sweep/orders/seen-orders.ts';
import { EVER } from '../../../src/model/window.ts';

export type ReadAllOptions = {
  /** First and last day. */
  readonly from: string;
  readonly to: string;
  /** @default the last day */
  readonly today?: string;
  /** @default knows nothing, for pages of 500 */
  readonly profile?: PageProfile;
  /** Orders by day, as a ledger has them. @default none */
  readonly expected?: ReadonlyMap<string, number>;
  /** Orders that the warehouse holds. @default none */
  readonly stored?: Witnesses;
  /** Reads whatever is newer than the last day, too, as a sweep does of today. @default false */
  readonly isOpen?: boolean;
  /** Whether there is time for another window. @default always */
  readonly hasTimeLeft?: () => boolean;
  /** @default the real time */
  readonly now?: () => Temporal.Instant;
};

export type ReadAll = {
  readonly readings: readonly FinalReading[];
  /** Of all windows that were read whole, in the order they were read; what was read twice stands here twice. */
  readonly ids: readonly number[];
  /** Of all orders that any page showed. */
  readonly seen: ReadonlySet<number>;
  readonly profile: PageProfile;
};

/** Reads days as a sweep does, with nothing but the plan and the walk: window by window, newest first, as long as it goes on. */
export async function readAll(
  api: Pick<ShopApi, 'listOrders'>,
  {
    from,
    to,
    today = to,
    profile = unknownProfile(500),
    expected = new Map(),
    stored,
    isOpen = false,
    hasTimeLeft = () => true,
    now = () => Temporal.Now.instant(),
  }: ReadAllOptions,
  goesOn: (reading: FinalReading) => boolean = () => true,
): Promise<ReadAll> {
  const days = [...expected].map(([key, count]) => {
    const day = Temporal.PlainDate.from(key);
    return { day, since: day, expected: count };
  });
  const book = { profile };
  const window = {
    from: Temporal.PlainDate.from(from).toPlainDateTime(),
    to: isOpen ? EVER.to : Temporal.PlainDate.from(to).add({ days: 1 }).toPlainDateTime(),
  };
  const shop = { timezone: 'Europe/Berlin' };
  const shown = new Set<number>();
  const listOrders: typeof api.listOrders = async (...asked) => {
    const page = await api.listOrders(...asked);
    for (const { orderId } of page.rows) shown.add(Number(orderId));
    return page;
  };
  const seen = new SeenOrders(shop, stored);
  const deps = { api: { listOrders }, book, shop, now, seen };
  const readings: FinalReading[] = [];
  for await (const reading of readWindows(
    deps,
    { window, days },
    Temporal.PlainDate.from(today),
    hasTimeLeft,
  )) {
    readings.push(reading);
    if (!goesOn(reading)) break;
  }
  const rows = readings.flatMap((reading) => (reading.kind === 'whole' ? reading.rows : []));
  return { readings, ids: rows.map(({ orderId }) => Number(orderId)), seen: shown, profile: book.profile };
}

export function ascending(ids: Iterable<number>): readonly number[] {
  return [...ids].toSorted((a, b) => a - b);
}

/** The windows follow one another from the end of the days to their beginning, without a gap. */
export function expectTiled(readings: readonly FinalReading[], from: string, to: string): void {
  let end = Temporal.PlainDateTime.from(to).add({ days: 1 });
  for (const { window } of readings) {
    expect(window.to.toString()).toBe(end.toString());
    expect(Temporal.PlainDateTime.compare(window.from, window.to)).toBeLessThan(0);
    end = window.from;
  }
  expect(end.toString()).toBe(Temporal.PlainDateTime.from(from).toString());
}
