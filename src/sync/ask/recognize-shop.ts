import { nextStep } from '../../model/next-step.ts';
import { TerminalError } from '../../model/errors.ts';
import type { ShopZone } from '../../normalize/local-time.ts';
import { createdMinute } from '../../normalize/order.ts';
import { listOrigin, originBySamples } from '../../plan/orders/list-origin.ts';
import type { ListRow } from '../../shop-api/endpoints/list-orders.ts';
import type { ShopApi } from '../../shop-api/shop-api.ts';
import type { Db } from '../../warehouse/db/database.ts';
import { listShops, type StoredShop } from '../../warehouse/directory/registered-shops.ts';
import { type HeldOrder, type PlacedOrder, readNewestOrders } from '../../warehouse/orders/stored-orders.ts';
import { EVER, type Window, windowText } from '../../model/window.ts';

type AskPorts = {
  readonly api: Pick<ShopApi, 'listOrders'>;
  readonly shop: { readonly pageLimit: number; readonly timezone: string; readonly shopKey: string };
  readonly signal: AbortSignal;
};

type Asked = {
  readonly ports: AskPorts & {
    readonly db: Db;
    readonly lease: { readonly shopId: number };
    /** The operator says that it is the same shop. */
    readonly acceptsMissing: boolean;
  };
  readonly found: { readonly recognition: Recognition };
};

/** Evidence that the responses come from the shop that the warehouse holds. */
export type Recognition = {
  /** Only orders first seen before this count: later ones came with the responses in question. */
  readonly began: Temporal.Instant;
  /** A list of this run showed stored orders. */
  isSeen: boolean;
};

/** Number of newest stored orders, one of which a shop must list to be recognized. */
const SAMPLES = 5;

/**
 * Why the rows of a window look like another shop's, for example one that responds at this shop's address by mistake.
 *
 * @param stored stored orders of the window, and of the orders listed in it
 */
export async function foreignReason(
  sweep: Asked,
  window: Window,
  rows: readonly ListRow[],
  stored: readonly HeldOrder[],
): Promise<string | undefined> {
  const { recognition } = sweep.found;
  if (sweep.ports.acceptsMissing) return undefined;
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
  return `the shop lists none of the ${lost}, but ${rows.length} unknown ones: ${advice(sweep.ports.shop.shopKey)}`;
}

function areLater(rows: readonly ListRow[], held: readonly HeldOrder[], shop: ShopZone): boolean {
  const minutes = held.map(({ createdMinute: minute = '' }) => minute);
  const newest = minutes.toSorted().at(-1) ?? '';
  return rows.every(({ raw }) => {
    const minute = createdMinute(raw, shop)?.toString({ smallestUnit: 'minute' });
    return minute !== undefined && minute > newest;
  });
}

const advice = (shop: string) =>
  `this looks like the list of another shop, and none of it was loaded; if it is the same shop, run ${nextStep('accept deletions', { shop })}`;

/** Like `foreignReason`, for a page of the list without dates. */
export async function foreignPageReason(sweep: Asked, known: number): Promise<string | undefined> {
  if (sweep.ports.acceptsMissing || known > 0) return undefined;
  const { samples, isListed } = await askForSamples(sweep, undefined);
  if (originBySamples(0, samples, isListed, false) === 'ours') return undefined;
  return `the shop lists none of the newest stored orders: ${advice(sweep.ports.shop.shopKey)}`;
}

/** @param except window to take no sample from, since its list was just read */
async function askForSamples(
  { ports, found }: Asked,
  except: Window | undefined,
): Promise<{ readonly samples: number; readonly isListed: boolean }> {
  const { db, lease } = ports;
  const samples = await readNewestOrders(db, lease.shopId, SAMPLES, {
    except: except ?? { from: EVER.to, to: EVER.to },
    seenBefore: found.recognition.began,
  });
  const isListed = await listsAny(ports, samples);
  return { samples: samples.length, isListed };
}

/**
 * Whether the shop lists one of the orders with the minute it was placed in. Requests that minute and then, since date
 * filters differ, the days around it.
 */
async function listsAny({ api, shop, signal }: AskPorts, samples: readonly PlacedOrder[]): Promise<boolean> {
  for (const margin of [{ minutes: 1 }, { days: 1 }]) {
    for (const { orderId, createdLocal } of samples) {
      const minute = createdLocal.round({ smallestUnit: 'minute', roundingMode: 'floor' });
      const query = {
        limit: shop.pageLimit,
        dateFrom: minute.subtract(margin),
        dateTo: minute.add({ minutes: 1 }).add(margin),
      };
      // Which shop it is does not change.
      const { rows } = await api.listOrders(query, signal);
      const isSample = ({ orderId: id, raw }: ListRow) =>
        id === orderId && createdMinute(raw, shop)?.equals(minute) === true;
      if (rows.some(isSample)) return true;
    }
  }
  return false;
}

type NamedShop = AskPorts & {
  readonly db: Db;
  readonly shop: { readonly shopKey: string; readonly baseUrl: string };
};

/**
 * Checks that a changed address is still the same shop: it must list one of the newest stored orders, with the minute
 * it was placed in. Otherwise two shops would be mixed.
 *
 * @throws TerminalError when it lists none of them
 */
export async function assertSameShop(ports: NamedShop, stored: StoredShop): Promise<void> {
  const { db, shop } = ports;
  if (stored.baseUrl === shop.baseUrl) return;
  const samples = await readNewestOrders(db, stored.shopId, SAMPLES);
  if (samples.length === 0 || (await listsAny(ports, samples))) return;
  throw new TerminalError(
    `shop ${shop.shopKey} was read from ${stored.baseUrl} so far, but ${shop.baseUrl} lists none of its newest orders and ` +
      'looks like another shop: give it its own SHOP_KEY, or correct SHOP_URL',
  );
}

/**
 * Checks that a shop that is about to be registered is not held by another key: all of it would be loaded, and counted,
 * twice.
 *
 * @throws TerminalError when a shop of the same address is held, whose newest orders it lists
 */
export async function assertNewShop(ports: NamedShop): Promise<void> {
  const { db, shop } = ports;
  for (const { shopId, shopKey, baseUrl } of await listShops(db)) {
    if (baseUrl !== shop.baseUrl || shopKey === shop.shopKey) continue;
    const samples = await readNewestOrders(db, shopId, SAMPLES);
    if (samples.length === 0 || !(await listsAny(ports, samples))) continue;
    throw new TerminalError(
      `${shop.baseUrl} is held as shop ${shopKey}, and would be loaded a second time as ${shop.shopKey}: set SHOP_KEY to ` +
        `${shopKey}; docs/runbooks.md says how to give a shop another key`,
    );
  }
}
