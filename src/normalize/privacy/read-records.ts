/** Rows from the shop's records as they may be stored. Nothing else makes rows and payloads that can be loaded. */
import type { Cleared } from '../../cleared.ts';
import type { JsonObject } from '../../json.ts';
import { normalizeOrder, type OrderContext } from '../order.ts';
import type { OrderRow } from '../order-fields.ts';
import type { Rejection } from '../rejection.ts';
import { normalizeUser, type UserRow } from '../user.ts';
import type { ShopZone } from '../local-time.ts';
import type { Privacy } from './privacy.ts';

export type ReadOrder = {
  readonly row: Cleared<OrderRow> | undefined;
  readonly payload: Cleared<JsonObject>;
  /** Stored without its person. */
  readonly isScrubbed: boolean;
  readonly rejections: readonly Rejection[];
};

type OrderOptions = {
  /** The payload comes from the warehouse. @default false */
  readonly isStored?: boolean;
  readonly normalize?: typeof normalizeOrder;
};

/** Clears a list row, and normalizes what is left of it. */
export function readOrder(
  privacy: Privacy,
  raw: JsonObject,
  context: OrderContext,
  { isStored = false, normalize = normalizeOrder }: OrderOptions = {},
): ReadOrder {
  const { payload, scrubbed } = privacy.order(raw, isStored);
  const { row, rejections } = normalize(payload, context);
  const cleared = row && {
    ...row,
    ...(scrubbed === undefined ? {} : { customer_key: scrubbed.customerKey }),
  };
  return { row: cleared && asCleared(cleared), payload, isScrubbed: scrubbed !== undefined, rejections };
}

export type ReadUser = {
  readonly row: Cleared<UserRow> | undefined;
  readonly payload: Cleared<JsonObject>;
  readonly rejections: readonly Rejection[];
};

/** Clears a user's record, and normalizes what is left of it. */
export function readUser(
  privacy: Privacy,
  userOid: string,
  raw: JsonObject,
  shop: ShopZone,
  normalize = normalizeUser,
): ReadUser {
  const payload = privacy.user(raw);
  const { row, rejections } = normalize(userOid, payload, shop);
  return { row: row && asCleared(row), payload, rejections };
}

/** Made from a cleared payload. */
function asCleared<T>(row: T): Cleared<T> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a mark for the type checker: the payload had it
  return row as Cleared<T>;
}
