import type { ShopApi } from '../shop-api.ts';

type Lists = Pick<ShopApi, 'listOrders'>;

/** Lists that may be old, and whether any was: then nothing that follows from them holds as of now. */
export type AgeWatch = Lists & {
  /** Why the first old one says nothing of now. */
  readonly outdated: string | undefined;
};

export function watchAge({ listOrders }: Lists): AgeWatch {
  let outdated: string | undefined;
  return {
    async listOrders(query, signal, options) {
      const page = await listOrders(query, signal, { ...options, mayBeOutdated: true });
      outdated ??= page.outdated;
      return page;
    },
    get outdated() {
      return outdated;
    },
  };
}
