import { createShopApi, type ShopApi, type ShopApiOptions } from '../../src/shop-api/shop-api.ts';
import { poolTo } from '../support/in-process-shop.ts';

export const NOW = Temporal.Instant.from('2026-03-15T10:30:20Z');
/** A refusal is a failure at once, instead of a limit to be found out. */
export const QUICK = { firstPauseMs: 1, maxPauseMs: 2, maxRefusals: 0 };

/** A client that neither waits long nor is slowed down, with the simulator's credentials. */
export function apiOf({ url }: { readonly url: string }, options: Partial<ShopApiOptions> = {}): ShopApi {
  return createShopApi({
    baseUrl: url,
    pool: poolTo(url),
    login: 'admin',
    apiKey: 'simulated-key',
    maxRps: 100_000,
    retry: QUICK,
    ...options,
  });
}

/** What a promise was rejected with; fails where it was not. */
export async function rejection(promise: Promise<unknown>): Promise<Error> {
  const outcome = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome instanceof Error) return outcome;
  throw new Error('the promise was expected to be rejected with an error');
}
