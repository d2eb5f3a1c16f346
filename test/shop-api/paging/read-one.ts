import { createdMinute } from '../../../src/normalize/order.ts';
import type { ShopApi } from '../../../src/shop-api/shop-api.ts';
import type { WindowToProve, Witnesses } from '../../../src/shop-api/paging/reach.ts';
import {
  type PageProfile,
  type PagingDeps,
  unknownProfile,
} from '../../../src/shop-api/paging/request-page.ts';
import { proveWindow } from '../../../src/shop-api/paging/prove.ts';
import type { WindowReading } from '../../../src/shop-api/paging/reading.ts';
import { byTime, EVER, isBefore, minutesBetween } from '../../../src/model/window.ts';

export const local = (text: string) => Temporal.PlainDateTime.from(text);

/** What the modules of the walk need of a shop, with a profile that they may change. */
export function pagingDeps(
  api: Pick<ShopApi, 'listOrders'>,
  profile: PageProfile = unknownProfile(500),
): PagingDeps {
  return {
    api,
    book: { profile },
    readCreated: ({ raw }) => createdMinute(raw, { timezone: 'Europe/Berlin' }),
    now: () => Temporal.Instant.from('2026-03-20T12:00:00Z'),
  };
}

/** Orders that are known by the minutes at which they were created. */
export function knownAt(...minutes: readonly string[]): Witnesses {
  const sorted = minutes.map(local).toSorted(byTime);
  return async (side, time, nth) => {
    const older = sorted.filter((minute) => isBefore(minute, time)).toReversed();
    const found = side === 'before' ? older : sorted.slice(older.length);
    return found[Math.min(nth, found.length) - 1];
  };
}

/** A window within days of which more is to be read below it; ends that are undefined are open. */
export function asked(
  from: string | undefined,
  to: string | undefined,
  change: Partial<WindowToProve> = {},
): WindowToProve {
  const window = {
    from: from === undefined ? EVER.from : local(from),
    to: to === undefined ? EVER.to : local(to),
  };
  const isClosed = from !== undefined && to !== undefined;
  const minutes = isClosed ? minutesBetween(window.from, window.to) : 1440;
  return { window, lowest: EVER.from, minutes, ...change };
}

/** One walk over one window. */
export async function readOne(
  api: Pick<ShopApi, 'listOrders'>,
  of: WindowToProve,
  known: Witnesses = knownAt(),
  profile?: PageProfile,
): Promise<WindowReading> {
  return proveWindow({ ...pagingDeps(api, profile), witnesses: known }, of);
}
