/** Batches of stored records without the persons in them, and how to write them. */
import { isJsonObject, type JsonValue } from '../../json.ts';
import { normalizeLines } from '../../normalize/lines.ts';
import { PERSONAL_ORDER_COLUMNS } from '../../normalize/order-fields.ts';
import { type Rejection, withKey } from '../../normalize/rejection.ts';
import { type Privacy, wasScrubbed } from '../../normalize/privacy/privacy.ts';
import { readOrder, readUser } from '../../normalize/privacy/read-records.ts';
import { contentLines } from '../../shop-api/endpoints/get-order-content.ts';
import type { Db, Tx } from '../../warehouse/db/database.ts';
import { hideFormerCodes } from '../../warehouse/directory/shown-codes.ts';
import { readStoredUsers, scrubUsers, type StoredUser } from '../../warehouse/directory/scrub-users.ts';
import { type RawOrder, readRawOrders } from '../../warehouse/ops/raw-records.ts';
import { recordRejections } from '../../warehouse/ops/record-rejections.ts';
import { rewriteLines } from '../../warehouse/orders/load-lines.ts';
import { rewritePayloads, rewriteScrubbed, type ScrubbedOrder } from '../../warehouse/orders/scrub-orders.ts';
import {
  readRowsWithoutPayload,
  rewriteRowsWithoutPayload,
} from '../../warehouse/orders/rows-without-payload.ts';
import type { RunShop } from '../run/context.ts';
import { scrubOrderRow } from './scrub-rows.ts';
import { SCRUB_STAGES, type ScrubStage } from './scrub-state.ts';

/** Records that lost something personal, by table. */
export type ScrubCounts = Readonly<Record<string, number>>;

export type ScrubBatch = {
  /** The last key that was read; undefined when the stage is done. */
  readonly last: string | undefined;
  /** What writing it would change. */
  readonly found: ScrubCounts;
  readonly write: (tx: Tx) => Promise<ScrubCounts>;
};

export type Scrubbing = {
  readonly db: Db;
  readonly shopId: number;
  readonly shop: Pick<RunShop, 'timezone' | 'pseudonymize'> & { readonly guestSecret: string };
  readonly privacy: Privacy;
};

/** Records of one transaction. */
export const SCRUB_BATCH_SIZE = 500;

type ReadScrubBatch = (scrubbing: Scrubbing, after: string | undefined, limit: number) => Promise<ScrubBatch>;

export const SCRUB_BATCH: Readonly<Record<ScrubStage, ReadScrubBatch>> = {
  orders: readOrders,
  rows: readRows,
  users: readUsers,
};

async function readOrders(...[scrubbing, after, limit]: Parameters<ReadScrubBatch>): Promise<ScrubBatch> {
  const { db, shopId } = scrubbing;
  const raw = await readRawOrders(db, shopId, after, limit);
  const scrubbed = raw.flatMap((order) => scrubOrder(scrubbing, order) ?? []);
  const payloads = scrubbed.filter(({ payload }) => payload !== undefined);
  const rows = scrubbed.flatMap(({ order }) => order ?? []);
  const keys = (orders: typeof rows) => orders.map(({ row }) => row.order_id);
  return {
    last: raw.at(-1)?.key,
    found: {
      'core.orders': payloads.filter(({ order }) => order !== undefined).length,
      'raw.orders': payloads.length,
      'raw.order_contents': scrubbed.filter(({ content }) => content !== undefined).length,
    },
    async write(tx) {
      if (scrubbed.length === 0) return {};
      const counts = await rewriteScrubbed(tx, shopId, scrubbed);
      await hideFormerCodes(tx, shopId, keys(rows));
      // What a field held that cannot be read is not kept either.
      const normalized = [
        { resource: 'order' as const, sourceKeys: keys(rows) },
        { resource: 'content' as const, sourceKeys: keys(rows.filter(({ lines }) => lines !== undefined)) },
      ];
      const rejections = scrubbed.flatMap((order) => order.rejections);
      await recordRejections(tx, shopId, normalized, rejections);
      return counts;
    },
  };
}

type RejectedOrder = ScrubbedOrder & { readonly rejections: readonly Rejection[] };

/** @returns undefined where nothing is to be removed */
function scrubOrder({ privacy, shop }: Scrubbing, raw: RawOrder): RejectedOrder | undefined {
  const before = isJsonObject(raw.payload) ? raw.payload : {};
  const { row, payload, isScrubbed, rejections } = readOrder(privacy, before, shop, { isStored: true });
  const answer = raw.content && isJsonObject(raw.content.payload) ? raw.content.payload : undefined;
  const content = answer && privacy.content(answer, isScrubbed);
  const isContentNew = content !== answer;
  if (payload === before && !isContentNew) return undefined;
  const { held, fetchedAt } = raw;
  const fingerprint =
    held && isScrubbed && !wasScrubbed(before) ? privacy.keyedFingerprint(held.fingerprint) : undefined;
  const lines = linesOf(raw, content);
  return {
    orderId: raw.key,
    order: row && { row, fingerprint: fingerprint ?? '', fetchedAt, lines, held },
    payload: payload === before ? undefined : payload,
    content: isContentNew ? content : undefined,
    fingerprint,
    rejections: [...withKey(rejections, raw.key), ...(row && lines ? lines.rejections : [])],
  };
}

function linesOf({ key, content: stored }: RawOrder, content: JsonValue | undefined) {
  const elements = isJsonObject(content) ? contentLines(content) : undefined;
  if (elements === undefined || stored === undefined) return undefined;
  return { ...normalizeLines(key, elements), fetchedAt: stored.fetchedAt };
}

async function readRows(...[scrubbing, after, limit]: Parameters<ReadScrubBatch>): Promise<ScrubBatch> {
  const { db, shopId, privacy, shop } = scrubbing;
  const stored = await readRowsWithoutPayload(db, shopId, after, limit);
  const scrubbed = stored.flatMap((order) => scrubOrderRow(privacy, order, shop) ?? []);
  const rows = scrubbed.flatMap(({ row }) => row ?? []);
  const contents = scrubbed.flatMap(({ orderId, content }) =>
    content === undefined ? [] : [{ order_id: orderId, payload: content }],
  );
  return {
    last: stored.at(-1)?.row.order_id,
    found: { 'core.orders': rows.length, 'raw.order_contents': contents.length },
    async write(tx) {
      const changed = await rewriteRowsWithoutPayload(tx, shopId, rows);
      const orderIds = rows.map(({ order_id }) => order_id);
      await hideFormerCodes(tx, shopId, orderIds);
      const lines = contents.flatMap(({ order_id: orderId, payload }) => {
        const elements = contentLines(payload);
        return elements === undefined ? [] : [{ orderId, rows: normalizeLines(orderId, elements).rows }];
      });
      return {
        'core.orders': changed,
        'core.order_lines': await rewriteLines(tx, shopId, lines),
        'raw.order_contents': await rewritePayloads(tx, 'order_contents', shopId, contents),
      };
    },
  };
}

async function readUsers(...[scrubbing, after, limit]: Parameters<ReadScrubBatch>): Promise<ScrubBatch> {
  const { db, shopId, privacy } = scrubbing;
  const users = await readStoredUsers(db, shopId, after, limit);
  const [gone, others] = [
    users.filter(({ userOid }) => privacy.erased.hasAccount(userOid)),
    users.filter(({ userOid }) => !privacy.erased.hasAccount(userOid)),
  ];
  const rewritten = others.flatMap((user) => scrubUser(scrubbing, user) ?? []);
  const emptied = others.filter((user) => user.raw === undefined && mustBeEmptied(scrubbing, user));
  const removed = gone.map(({ userOid }) => ({ userOid, standIn: privacy.erased.standIn(userOid) }));
  const scrubbed = { rewritten, emptied: emptied.map(({ userOid }) => userOid), removed };
  return {
    last: users.at(-1)?.userOid,
    found: {
      'core.users': rewritten.length + emptied.length + gone.length,
      'raw.users': rewritten.length + gone.filter(({ raw }) => raw !== undefined).length,
    },
    async write(tx) {
      if (rewritten.length + emptied.length + removed.length === 0) return {};
      const counts = await scrubUsers(tx, shopId, scrubbed, PERSONAL_ORDER_COLUMNS);
      const sourceKeys = rewritten.flatMap(({ userOid, user }) => (user ? [userOid] : []));
      const rejections = rewritten.flatMap((user) => user.rejections);
      await recordRejections(tx, shopId, [{ resource: 'user', sourceKeys }], rejections);
      return counts;
    },
  };
}

function scrubUser({ privacy, shop }: Scrubbing, { userOid, raw }: StoredUser) {
  if (raw === undefined) return undefined;
  const before = isJsonObject(raw.payload) ? raw.payload : {};
  const { row, payload, rejections } = readUser(privacy, userOid, before, shop);
  return payload === before ? undefined : { userOid, user: row && { row, raw }, payload, rejections };
}

function mustBeEmptied({ privacy, shop }: Scrubbing, { contacts, isEmpty }: StoredUser): boolean {
  return !isEmpty && (shop.pseudonymize !== undefined || privacy.erased.areInAny(contacts));
}

/** What a removal would change; an estimate of rows by table. */
export async function countScrubbed(scrubbing: Scrubbing, signal: AbortSignal): Promise<ScrubCounts> {
  let counts: ScrubCounts = {};
  for (const stage of SCRUB_STAGES) {
    let after: string | undefined;
    for (;;) {
      signal.throwIfAborted();
      const batch = await SCRUB_BATCH[stage](scrubbing, after, SCRUB_BATCH_SIZE);
      if (batch.last === undefined) break;
      after = batch.last;
      counts = addCounts(counts, batch.found);
    }
  }
  return counts;
}

export function addCounts(one: ScrubCounts, other: ScrubCounts): ScrubCounts {
  const tables = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return Object.fromEntries(tables.map((table) => [table, (one[table] ?? 0) + (other[table] ?? 0)]));
}
