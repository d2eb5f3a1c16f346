import { createShopApi, type ShopApi } from '../shop-api/shop-api.ts';
import type { EndedAttempt, ShopApiOptions } from '../shop-api/shop-http.ts';
import type { Logger, ShopSettings } from '../sync/run/context.ts';

/** A shop's settings and credentials. */
export type FleetShop = ShopSettings & ShopApiOptions;

/**
 * Unlike a command that somebody waits for, a worker comes back by itself: a shop that does not answer is left to a later
 * sweep early, so that its turn is free for the others. Two time-outs of a request, or a minute of a shop that stopped.
 */
const PATIENCE = { retry: { maxTotalMs: 45_000 }, maxOutageMs: 60_000 } satisfies Partial<ShopApiOptions>;

export type Member = {
  readonly shop: FleetShop;
  readonly api: ShopApi;
  /** Since when it has had these settings here: what failed before may have been mended by them. */
  readonly since: Temporal.Instant;
};

/** The shops that this worker knows, each with one client, whose politeness lasts from sweep to sweep. */
export class Fleet {
  #members = new Map<string, Member & { readonly settings: string }>();
  readonly #logger: Logger;
  readonly #now: () => Temporal.Instant;
  #onConfigured: () => void = () => undefined;
  #onAttempt: (shopKey: string, ended: EndedAttempt) => void = () => undefined;

  constructor(logger: Logger, now: () => Temporal.Instant = () => Temporal.Now.instant()) {
    this.#logger = logger;
    this.#now = now;
  }

  /** From now on, tells of every try of a request. */
  watch(onAttempt: (shopKey: string, ended: EndedAttempt) => void): void {
    this.#onAttempt = onAttempt;
  }

  /** From now on, tells when shops were configured anew. */
  onConfigured(listener: () => void): void {
    this.#onConfigured = listener;
  }

  /** Takes over the shops as they are configured now. A shop whose settings are the same keeps its client. */
  configure(shops: readonly FleetShop[]): void {
    const next = shops.map((shop) => {
      const settings = JSON.stringify(shop);
      const known = this.#members.get(shop.shopKey);
      const kept = known?.settings === settings ? known : undefined;
      const api = kept?.api ?? this.#client(shop);
      const since = kept?.since ?? this.#now();
      return [shop.shopKey, { shop, api, since, settings }] as const;
    });
    this.#members = new Map(next);
    this.#logger.info({ shops: next.length }, 'shops configured');
    this.#onConfigured();
  }

  #client(shop: FleetShop): ShopApi {
    return createShopApi({
      ...PATIENCE,
      ...shop,
      onAttempt: (ended) => this.#onAttempt(shop.shopKey, ended),
    });
  }

  find(shopKey: string): Member | undefined {
    return this.#members.get(shopKey);
  }

  get members(): readonly Member[] {
    return [...this.#members.values()];
  }
}
