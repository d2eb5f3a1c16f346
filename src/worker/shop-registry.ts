import { createShopApi, type ShopApi, type EndedAttempt, type ShopApiOptions } from '../shop-api/shop-api.ts';
import type { Logger, ShopSettings } from '../sync/run/context.ts';

/** A shop's settings and credentials. */
export type WorkerShop = ShopSettings & ShopApiOptions;

/**
 * A worker gives up on an unavailable shop sooner than a command does, and frees its slot for the others: it tries again
 * at the next sweep. Enough for a fault that passes, or a minute of a shop that is down.
 */
const SHORT_TIMEOUTS = {
  retry: { maxAttempts: 3 },
  maxOutageMs: 60_000,
} satisfies Partial<ShopApiOptions>;

export type RegisteredShop = {
  readonly shop: WorkerShop;
  readonly api: ShopApi;
};

/** The shops of this worker, each with one client, whose throttle state lasts from sweep to sweep. */
export class ShopRegistry {
  #shops = new Map<string, RegisteredShop & { readonly settings: string }>();
  readonly #logger: Logger;
  #onConfigured: (changed: readonly string[]) => void = () => undefined;
  #onAttempt: (shopKey: string, ended: EndedAttempt) => void = () => undefined;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Sets the listener for every attempt of a request. */
  onAttempt(listener: (shopKey: string, ended: EndedAttempt) => void): void {
    this.#onAttempt = listener;
  }

  /** Sets the listener for changes of the configuration, called with the keys of the shops that are new or changed. */
  onConfigured(listener: (changed: readonly string[]) => void): void {
    this.#onConfigured = listener;
  }

  /** Replaces the configured shops. A shop with unchanged settings keeps its client. */
  configure(shops: readonly WorkerShop[]): void {
    const next = shops.map((shop) => {
      const settings = JSON.stringify(shop);
      const known = this.#shops.get(shop.shopKey);
      if (known?.settings === settings) return [shop.shopKey, known] as const;
      return [shop.shopKey, { shop, api: this.#createClient(shop), settings }] as const;
    });
    const changed = next
      .filter(([shopKey, shop]) => this.#shops.get(shopKey) !== shop)
      .map(([shopKey]) => shopKey);
    this.#shops = new Map(next);
    this.#logger.info({ shops: next.length }, 'shops configured');
    this.#onConfigured(changed);
  }

  #createClient(shop: WorkerShop): ShopApi {
    return createShopApi({
      ...SHORT_TIMEOUTS,
      ...shop,
      onRedirect: (host) => this.#logger.debug({ shop: shop.shopKey, host }, 'redirect not followed'),
      onAttempt: (ended) => this.#onAttempt(shop.shopKey, ended),
    });
  }

  find(shopKey: string): RegisteredShop | undefined {
    return this.#shops.get(shopKey);
  }

  get shops(): readonly RegisteredShop[] {
    return [...this.#shops.values()];
  }
}
