import { createShopApi, type ShopApi } from '../shop-api/client.ts';
import type { EndedTry, HttpOptions } from '../shop-api/http.ts';
import type { Logger, ShopSettings } from '../sync/deps.ts';

/** A shop's settings and credentials. */
export type FleetShop = ShopSettings & HttpOptions;

/**
 * Unlike a command that somebody waits for, a worker comes back by itself: a shop that does not answer is left to a later
 * sweep early, so that its turn is free for the others. Two time-outs of a request, or a minute of a shop that stopped.
 */
const PATIENCE = { retry: { maxTotalMs: 45_000 }, maxOutageMs: 60_000 } satisfies Partial<HttpOptions>;

export type Member = { readonly shop: FleetShop; readonly api: ShopApi };

/** The shops that this worker knows, each with one client, whose politeness lasts from sweep to sweep. */
export class Fleet {
  #members = new Map<string, Member & { readonly settings: string }>();
  readonly #logger: Logger;
  #onTry: (shopKey: string, ended: EndedTry) => void = () => undefined;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** From now on, tells of every try of a request. */
  watch(onTry: (shopKey: string, ended: EndedTry) => void): void {
    this.#onTry = onTry;
  }

  /** Takes over the shops as they are configured now. A shop whose settings are the same keeps its client. */
  configure(shops: readonly FleetShop[]): void {
    const next = shops.map((shop) => {
      const settings = JSON.stringify(shop);
      const known = this.#members.get(shop.shopKey);
      const api = known?.settings === settings ? known.api : this.#client(shop);
      return [shop.shopKey, { shop, api, settings }] as const;
    });
    this.#members = new Map(next);
    this.#logger.info({ shops: next.length }, 'shops configured');
  }

  #client(shop: FleetShop): ShopApi {
    return createShopApi({ ...PATIENCE, ...shop, onTry: (ended) => this.#onTry(shop.shopKey, ended) });
  }

  find(shopKey: string): Member | undefined {
    return this.#members.get(shopKey);
  }

  get members(): readonly Member[] {
    return [...this.#members.values()];
  }
}
