/** A stored shop as a run that asks it nothing needs it: without its address, credentials and settings. */
import { TerminalError } from '../../errors.ts';
import { DEFAULT_FRESHNESS, parseFreshness } from '../../plan/freshness.ts';
import type { ShopApi } from '../../shop-api/shop-api.ts';
import type { StoredShop } from '../../warehouse/directory/registered-shops.ts';
import type { ShopSettings } from '../run/context.ts';
import { readPoliteness } from '../run/throttle-state.ts';
import { rememberedPageLimit } from '../run/replay-state.ts';
import type { ShopContext } from '../run/run-shop.ts';

const PAGE_LIMIT = 500;

/** @param guestSecret the configured one, if any */
export async function offlineShop(
  context: Omit<ShopContext, 'api' | 'shop'>,
  stored: StoredShop,
  guestSecret: string | undefined,
): Promise<ShopContext> {
  const { db } = context;
  // Both are kept as they were: they are of the runs that do ask the shop.
  const pageLimit = (await rememberedPageLimit(db, stored.shopId)) ?? PAGE_LIMIT;
  const politeness = await readPoliteness(db, stored.shopId);
  const limits = {
    concurrency: 4,
    lowestConcurrency: 4,
    maxConcurrency: 4,
    maxRps: 10,
    circuit: 'closed',
  } as const;
  const health = { ...(politeness ?? limits), pausedUntil: undefined, probes: 0 };
  return { ...context, api: silentApi(health), shop: settingsOf(stored, guestSecret, pageLimit) };
}

function settingsOf(stored: StoredShop, guestSecret: string | undefined, pageLimit: number): ShopSettings {
  const { shopKey, baseUrl, timezone } = stored;
  const ages = { linesMaxAgeMs: 0, usersMaxAgeMs: 0, groupsMaxAgeMs: 0 };
  const freshness = parseFreshness(DEFAULT_FRESHNESS);
  return { shopKey, baseUrl, timezone, guestSecret, pageLimit, historyFrom: undefined, freshness, ...ages };
}

/** Sends nothing. */
function silentApi(health: ShopApi['health']): ShopApi {
  const refuse = async (): Promise<never> => {
    throw new TerminalError('a request was about to be sent by a command that sends none');
  };
  return {
    counts: { orders: 0, content: 0, user: 0, groups: 0, auth: 0, retries: 0 },
    health,
    charset: undefined,
    listOrders: refuse,
    orderContent: refuse,
    orderResponse: refuse,
    user: refuse,
    userResponse: refuse,
    groups: refuse,
    loginLink: refuse,
  };
}
