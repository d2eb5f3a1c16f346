import type { ListRow } from '../endpoints/list-orders.ts';
import type { ShopApi } from '../shop-api.ts';
import type { KnownOrders } from './asked-dates.ts';
import type { Faults } from './faults.ts';
import type { PageProfile } from './page-profile.ts';

/** What is learned about a shop while paging; replaced at every lesson. */
type PagingBook = {
  /** Hints as seen so far. */
  profile: PageProfile;
  /** Requests that failed while others were answered. @default none did */
  faults?: Faults;
};

export type PagingDeps = {
  readonly api: Pick<ShopApi, 'listOrders'>;
  readonly book: PagingBook;
  /** The minute at which an order was created, shop-local; undefined where the row does not say. */
  readonly readCreated: (row: ListRow) => Temporal.PlainDateTime | undefined;
  readonly now: () => Temporal.Instant;
  readonly signal?: AbortSignal | undefined;
};

export type WalkDeps = PagingDeps & { readonly known: KnownOrders };
