/** Records of the shop as somebody asks for them: nothing is stored. */
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import type { Profile } from '../../model/persons.ts';
import { CODE_FORM, HIDDEN_CODE } from '../../model/status-codes.ts';
import { normalizeLines } from '../../normalize/lines.ts';
import type { ShopZone } from '../../normalize/local-time.ts';
import { normalizeOrder, readBuyer } from '../../normalize/order.ts';
import { keepAll, type Privacy } from '../../normalize/privacy/privacy.ts';
import { contentLines } from '../../shop-api/endpoints/order-content.ts';
import type { GroupRow } from '../../shop-api/endpoints/list-groups.ts';
import type { OrdersQuery } from '../../shop-api/endpoints/list-orders.ts';
import { unknownProfile } from '../../shop-api/paging/request-page.ts';
import type { ShopApi } from '../../shop-api/shop-api.ts';
import type { Db } from '../../warehouse/db/database.ts';
import { type MissingOrders, missingOrder } from '../../model/missing-orders.ts';
import { readProfiles } from '../../warehouse/orders/persons.ts';
import { type ColumnDifference, findDifferences } from '../../warehouse/orders/compare-orders.ts';
import { readOrdersById } from '../../warehouse/orders/stored-orders.ts';
import {
  type LineRow,
  type OrderPerson,
  type OrderRow,
  STRIPPED_FORM,
} from '../../warehouse/schema/orders.ts';
import { findListed } from '../ask/find-listed.ts';
import { createQuestions, knownRecords } from '../ask/questions.ts';
import { attempt } from '../ask/record-faults.ts';
import { openPrivacy } from '../run/privacy-policy.ts';
import { readGroups } from '../sweep/directory/sweep-groups.ts';

/** An order as the shop has it, and where the warehouse has it otherwise. */
export type ComparedOrder = {
  /** As the list has it; undefined where it is not known when the order was placed, or it is not listed there. */
  readonly order: FetchedOrder | undefined;
  /** Undefined where the shop has no such order. */
  readonly lines: readonly Omit<LineRow, 'withheld'>[] | undefined;
  /** `hidden`: it is stored without its person, or persons are hidden, and not compared. */
  readonly stored: 'absent' | 'hidden' | 'compared';
  readonly differences: readonly Omit<ColumnDifference, 'order_id'>[];
  /** Whether the warehouse counts it, if the shop's list shows it or was not read. */
  readonly state: 'live' | 'deleted' | MissingOrders;
};

type FetchPorts = {
  readonly api: ShopApi;
  readonly db: Db;
  readonly now: () => Temporal.Instant;
  readonly signal: AbortSignal;
};

/**
 * Asks for one order. The shop's list cannot be asked for it by its number, so it is asked for the minutes around the one in
 * which the warehouse says that the order was placed.
 *
 * @throws TerminalError, TransientError
 */
export async function fetchOrder(
  { api, db, now, signal }: FetchPorts,
  shop: ShopZone & { readonly pageLimit: number },
  shopId: number | undefined,
  orderId: string,
  showsPersons: boolean,
): Promise<ComparedOrder> {
  // Where the answer for an order that cannot exist looks like a fault, it would be asked for again and again.
  const questions = createQuestions(api, knownRecords(db, shopId));
  const isGone = (await questions.presence(orderId, signal)) === 'gone';
  const content = isGone ? { kind: 'gone' as const } : await api.orderContent(orderId, signal);
  const toLines = (privacy: Privacy, known: Profile) => {
    if (content.kind === 'gone') return undefined;
    const lines = contentLines(content.raw) ?? [];
    const order = { finds: privacy.finder(known), isStripped: false };
    const clean = privacy.lines(orderId, content.raw, lines, order).rows;
    const sent = normalizeLines(orderId, lines).rows;
    return { clean, shown: (showsPersons ? sent : clean).map(({ withheld: _withheld, ...line }) => line) };
  };
  const stored =
    shopId === undefined ? undefined : (await readOrdersById(db, shopId, [orderId])).get(orderId);
  if (shopId === undefined || stored === undefined) {
    const lines = toLines(keepAll('', shop), [])?.shown;
    return { order: undefined, lines, stored: 'absent', differences: [], state: 'live' };
  }
  const list = { api, now, shop, signal, book: { profile: unknownProfile(shop.pageLimit) } };
  const at = stored.createdMinute;
  const found = at === null ? undefined : findListed(list, orderId, at);
  const row = found && (await (isGone ? attempt(found, signal) : found));
  const state = missingOrder(stored.missingSince) ?? (stored.isMarked ? 'deleted' : 'live');
  const privacy = await openPrivacy(db, shopId, shop, '', new Set());
  const buyer = row && readBuyer(row.raw).buyer_oid;
  const profile = buyer ? [...(await readProfiles(db, shopId, [buyer])).values()].flat() : [];
  const clean = row && privacy.order(row.raw, profile).row;
  const order = row && clean && toFetchedOrder(row.raw, shop, clean, showsPersons);
  const lines = toLines(privacy, [...(row ? [row.raw] : []), ...profile]);
  // The key of guests is made with the secret.
  const { customer_key: _key, ...columns } = clean ?? {};
  const isStripped = new RegExp(STRIPPED_FORM).test(stored.fingerprint);
  const toCompare = { orderId, row: row && columns, lines: lines?.clean ?? [] };
  const differing = isStripped ? [] : await findDifferences(db, shopId, [toCompare]);
  const differences = differing.map(({ order_id: _order, ...difference }) => difference);
  return { order, lines: lines?.shown, stored: isStripped ? 'hidden' : 'compared', differences, state };
}

/** An order as the warehouse would name its columns. */
export type FetchedOrder = {
  readonly row: Omit<OrderRow, 'customer_key'>;
  readonly person: Partial<Omit<OrderPerson, 'fields'>>;
};

/** @param clean the row without its person */
function toFetchedOrder(
  raw: JsonObject,
  shop: ShopZone,
  clean: OrderRow,
  showsPersons: boolean,
): FetchedOrder | undefined {
  // The key of guests, made with the secret, is left out.
  const { row, person } = normalizeOrder(raw, { ...shop, guestSecret: '' });
  if (row === undefined) return undefined;
  const { customer_key: _key, ...columns } = showsPersons ? row : clean;
  const { fields: _fields, ...contacts } = person;
  return { row: columns, person: showsPersons ? contacts : {} };
}

const LOOKS_LIKE_CODE = new RegExp(CODE_FORM);
const MAX_CURRENCY = 4;

/** Without the texts into which the account's person may be typed, since that person is not known here. */
function withoutTexts(row: OrderRow): OrderRow {
  const shown = (code: string) => (code === '' || LOOKS_LIKE_CODE.test(code) ? code : HIDDEN_CODE);
  return {
    ...row,
    status_code: shown(row.status_code),
    pay_status_code: shown(row.pay_status_code),
    currency: (row.currency ?? '').length > MAX_CURRENCY ? null : row.currency,
    color: row.color !== null && LOOKS_LIKE_CODE.test(row.color) ? row.color : null,
    delivery_name: null,
  };
}

/** Reads the list page by page, in the shop's order. @param limit orders at most @returns `isCut`: there are more */
export async function fetchOrders(
  api: Pick<ShopApi, 'listOrders'>,
  shop: ShopZone & { readonly pageLimit: number },
  query: OrdersQuery,
  limit: number,
  signal: AbortSignal,
  showsPersons: boolean,
) {
  const found = new Map<string, JsonObject>();
  let [start, isOver] = [0, false];
  while (!isOver && found.size <= limit) {
    const asked = { ...query, start, limit: Math.min(shop.pageLimit, limit + 1) };
    const page = await api.listOrders(asked, signal);
    const before = found.size;
    for (const { orderId, raw } of page.rows) found.set(orderId, raw);
    start += page.received;
    // A shop that ignores where a page starts sends the same one again.
    isOver = found.size === before || start >= (page.total ?? Number.POSITIVE_INFINITY);
  }
  const privacy = keepAll('', shop);
  const orders = [...found.values()].flatMap((raw) => {
    const { row } = privacy.order(raw);
    return (row && toFetchedOrder(raw, shop, row.is_guest ? row : withoutTexts(row), showsPersons)) ?? [];
  });
  return { orders: orders.slice(0, limit), isCut: orders.length > limit };
}

/** @returns undefined where the shop has no such user */
export async function fetchUser(
  api: Pick<ShopApi, 'user'>,
  shop: ShopZone,
  key: string,
  signal: AbortSignal,
) {
  const found = await api.user(key, signal);
  if (found.kind === 'gone') return undefined;
  const { row, person } = keepAll('', shop).user(found.userOid, found.raw);
  if (row === undefined || person === null) return undefined;
  const { content: _content, images: _images, rest: _rest, ...contacts } = person;
  return { row, person: contacts };
}

/** The groups directly below one. */
export async function fetchGroups(
  api: Pick<ShopApi, 'groups'>,
  shop: ShopZone,
  parentOid: string,
  signal: AbortSignal,
) {
  const privacy = keepAll('', shop);
  const found = new Map<string, GroupRow>();
  await readGroups(api, parentOid, signal, found, { longest: 0 });
  return [...found.values()].flatMap(({ raw }) => (isJsonObject(raw) && privacy.group(raw).row) || []);
}
