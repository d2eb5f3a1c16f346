import type { ShopZone } from '../../normalize/local-time.ts';
import { createdMinute } from '../../normalize/order.ts';
import { listOrigin, originBySamples } from '../../plan/list-origin.ts';
import type { ListRow } from '../../shop-api/endpoints/list-orders.ts';
import { type HeldOrder, type PlacedOrder, readNewestOrders } from '../../warehouse/orders/stored-orders.ts';
import { EVER, type Window, windowText } from '../../window.ts';
import type { Needs, ShopContext } from './context.ts';

type Asked = Needs<'api' | 'db' | 'lease' | 'shop' | 'signal', 'acceptsMissing' | 'recognition'>;

/** Number of newest stored orders, one of which a shop must list to be recognized. */
export const SAMPLES = 5;

/**
 * Why the rows of a window look like another shop's, for example one that responds at this shop's address by mistake.
 *
 * @param stored stored orders of the window, and of the orders listed in it
 * @returns undefined where they are this shop's
 */
export async function foreignReason(
  sweep: Asked,
  window: Window,
  rows: readonly ListRow[],
  stored: readonly HeldOrder[],
): Promise<string | undefined> {
  const { acceptsMissing, recognition } = sweep.state;
  if (acceptsMissing) return undefined;
  const listed = new Set(rows.map(({ orderId }) => orderId));
  const known = stored.filter(({ orderId }) => listed.has(orderId)).length;
  const live = stored.filter((order) => order.isInWindow && !order.isMarked);
  const held = live.length;
  const origin = listOrigin(held, rows.length, known, recognition.isSeen);
  if (known > 0) recognition.isSeen = true;
  if (origin === 'ours') return undefined;
  if (origin === 'unclear') {
    const { samples, isListed } = await askForSamples(sweep, window);
    if (isListed) recognition.isSeen = true;
    if (originBySamples(held, samples, isListed, areLater(rows, live, sweep.ports.shop)) === 'ours')
      return undefined;
  }
  const lost = held > 0 ? `${held} stored orders of ${windowText(window)}` : 'newest stored orders';
  return `the shop lists none of the ${lost}, but ${rows.length} unknown ones: ${ADVICE}`;
}

function areLater(rows: readonly ListRow[], held: readonly HeldOrder[], shop: ShopZone): boolean {
  const newest = held.reduce(
    (latest, { createdMinute: minute = '' }) => (minute > latest ? minute : latest),
    '',
  );
  return rows.every(({ raw }) => {
    const minute = createdMinute(raw, shop)?.toString({ smallestUnit: 'minute' });
    return minute !== undefined && minute > newest;
  });
}

const ADVICE =
  'this looks like the list of another shop, and none of it was loaded; if it is the same shop, run backfill with ' +
  '--force --accept-missing';

/** Like `foreignReason`, for a page of the list without dates. */
export async function foreignPageReason(sweep: Asked, known: number): Promise<string | undefined> {
  if (sweep.state.acceptsMissing || known > 0) return undefined;
  const { samples, isListed } = await askForSamples(sweep, undefined);
  if (originBySamples(0, samples, isListed, false) === 'ours') return undefined;
  return `the shop lists none of the newest stored orders: ${ADVICE}`;
}

/** @param except window to take no sample from, since its list was just read */
async function askForSamples(
  { ports, state }: Asked,
  except: Window | undefined,
): Promise<{ readonly samples: number; readonly isListed: boolean }> {
  const { api, db, lease, shop, signal } = ports;
  const samples = await readNewestOrders(db, lease.shopId, SAMPLES, {
    except: except ?? { from: EVER.to, to: EVER.to },
    seenBefore: state.recognition.began,
  });
  const isListed = await listsAny({ api, shop, signal }, samples);
  return { samples: samples.length, isListed };
}

/**
 * Whether the shop lists one of the orders with the minute it was placed in. Requests that minute and then, since date
 * filters differ, the days around it.
 */
export async function listsAny(
  { api, shop, signal }: Pick<ShopContext, 'api' | 'shop' | 'signal'>,
  samples: readonly PlacedOrder[],
): Promise<boolean> {
  for (const margin of [{ minutes: 1 }, { days: 1 }]) {
    for (const { orderId, createdLocal } of samples) {
      const minute = createdLocal.round({ smallestUnit: 'minute', roundingMode: 'floor' });
      const query = {
        limit: shop.pageLimit,
        dateFrom: minute.subtract(margin),
        dateTo: minute.add({ minutes: 1 }).add(margin),
      };
      const { rows } = await api.listOrders(query, signal);
      const isSample = ({ orderId: id, raw }: ListRow) =>
        id === orderId && createdMinute(raw, shop)?.equals(minute) === true;
      if (rows.some(isSample)) return true;
    }
  }
  return false;
}
