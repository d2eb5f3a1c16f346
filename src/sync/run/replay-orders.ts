/** Orders that are normalized again from what is stored of the shop's answers. */
import { isJsonObject } from '../../model/json.ts';
import type { Profile } from '../../model/persons.ts';
import { joinContent, joinOrder } from '../../normalize/privacy/records.ts';
import type { OfOrder, Privacy } from '../../normalize/privacy/privacy.ts';
import { type Rejection, withKey } from '../../normalize/rejection.ts';
import { contentLines } from '../../shop-api/endpoints/order-content.ts';
import type { Tx } from '../../warehouse/db/database.ts';
import { loadOrders, type OrderToLoad } from '../../warehouse/orders/load-orders.ts';
import { type RawOrder, readRawOrders } from '../../warehouse/raw/raw-records.ts';
import type { RunPorts } from './context.ts';

/**
 * Replays stored orders within a transaction that has read more of the persons of their accounts.
 *
 * @param profiles by the numbers of accounts
 * @returns orders that were stored with what the shop sent, so that they could be replayed
 */
export async function replayOrdersOf(
  tx: Tx,
  { lease, privacy }: Pick<RunPorts, 'lease' | 'privacy'>,
  orderIds: readonly string[],
  profiles: ReadonlyMap<string, Profile>,
): Promise<ReadonlySet<string>> {
  const raw = await readRawOrders(tx, lease.shopId, { ids: orderIds });
  const read = raw.map((order) => {
    const profile = profiles.get(order.stored?.buyerOid ?? '') ?? [];
    return replayOrder(privacy, { ...order, profile });
  });
  await writeReplayed(tx, lease.shopId, read);
  return new Set(raw.map(({ key }) => key));
}

export async function writeReplayed(tx: Tx, shopId: number, read: readonly ReplayedOrder[]) {
  const rewritten = read.flatMap(({ order }) => order ?? []);
  const { added, headers, lines } = await loadOrders(tx, shopId, rewritten, { isReread: true });
  return { added: added.size, changed: headers - added.size, lines };
}

export type ReplayedOrder = {
  readonly order: OrderToLoad | undefined;
  readonly rejections: readonly Rejection[];
  /** The open ones of its fields stay as they are. */
  readonly keepsRejections?: boolean;
};

export function replayOrder(privacy: Privacy, raw: RawOrder): ReplayedOrder {
  const known = isJsonObject(raw.payload) ? raw.payload : {};
  const { fetchedAt, stored, key, person, profile } = raw;
  const sent = person === null ? known : joinOrder(known, person, person.rest);
  const read = privacy.order(sent, profile);
  const isStripped = stored?.isStripped === true;
  const rejections = isStripped ? [] : read.rejections;
  if (read.row === undefined) return { order: undefined, rejections: withKey(rejections, key) };
  const row = isStripped ? { ...read.row, customer_key: stored.customerKey } : read.row;
  const lines = replayLines(privacy, raw, { finds: read.finds, isStripped: isStripped || read.isStripped });
  const order = {
    row,
    // Used only for an order that was not stored.
    fingerprint: stored ? '' : privacy.fingerprint(sent),
    seenAt: fetchedAt,
    observedAt: fetchedAt,
    lines: lines && { kind: 'fetched' as const, ...lines },
    person: person === null || isStripped ? undefined : read.person,
    payload: read.payload,
  };
  return {
    order,
    rejections: [...rejections, ...(lines?.rejections ?? [])],
    // What could not be read was left out: it is no news.
    keepsRejections: isStripped && read.rejections.length > 0,
  };
}

function replayLines(privacy: Privacy, { key, content, contentAt, person }: RawOrder, order: OfOrder) {
  if (contentAt === null || !isJsonObject(content)) return undefined;
  const answer = joinContent(content, person?.content_rest ?? null);
  const read = privacy.lines(key, answer, contentLines(answer), order);
  return { ...read, fetchedAt: contentAt };
}
