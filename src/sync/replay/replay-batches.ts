/** Batches of a replay: reads stored payloads, normalizes them, and writes rows and position in one transaction. */
import { isJsonObject, type JsonValue } from '../../model/json.ts';
import { normalizeGroup } from '../../normalize/group.ts';
import { normalizeLines } from '../../normalize/lines.ts';
import { normalizeOrder } from '../../normalize/order.ts';
import { joinContent, joinOrder, joinUser } from '../../normalize/privacy/divide-records.ts';
import { type Rejection, withKey } from '../../normalize/rejection.ts';
import { normalizeUser } from '../../normalize/user.ts';
import { NORMALIZER_VERSION } from '../../normalize/normalizer-version.ts';
import { contentLines } from '../../shop-api/endpoints/get-order-content.ts';
import type { Tx } from '../../warehouse/db/database.ts';
import {
  type RawOrder,
  readRawGroups,
  readRawOrders,
  type PayloadToReplace,
  readRawUsers,
  replacePayloads,
} from '../../warehouse/raw/raw-records.ts';
import type { NormalizedRecords } from '../../warehouse/ops/rejections.ts';
import { rewriteGroups } from '../../warehouse/directory/load-groups.ts';
import { rewriteUsers } from '../../warehouse/directory/users.ts';
import { type RewrittenOrder, rewriteOrders } from '../../warehouse/orders/rewrite-orders.ts';
import type { RunPorts } from '../run/context.ts';
import type { Stage } from '../run/replay-state.ts';

export type Normalizers = Readonly<typeof NORMALIZERS>;

export const NORMALIZERS = {
  version: NORMALIZER_VERSION as number,
  order: normalizeOrder,
  lines: normalizeLines,
  user: normalizeUser,
  group: normalizeGroup,
};

export type ReplayCounts = Readonly<typeof NOTHING_CHANGED>;

export const NOTHING_CHANGED = {
  orders_added: 0,
  orders_changed: 0,
  lines_changed: 0,
  users_changed: 0,
  groups_changed: 0,
};

/** A batch that is normalized but not yet written. */
export type Batch = {
  /** The last key of the batch, after which the next one begins; undefined when the stage is done. */
  readonly last: string | undefined;
  readonly records: number;
  readonly normalized: readonly NormalizedRecords[];
  readonly rejections: readonly Rejection[];
  readonly write: (tx: Tx) => Promise<Partial<ReplayCounts>>;
};

type Ports = Pick<RunPorts, 'db' | 'lease' | 'privacy' | 'shop'>;

type ReadBatch = (
  ports: Ports,
  normalizers: Normalizers,
  after: string | undefined,
  limit: number,
) => Promise<Batch>;

export const READ_BATCH: Readonly<Record<Stage, ReadBatch>> = {
  orders: readOrders,
  users: readUsers,
  groups: readGroups,
};

async function readOrders(...[ports, normalizers, after, limit]: Parameters<ReadBatch>): Promise<Batch> {
  const { shopId } = ports.lease;
  const raw = await readRawOrders(ports.db, shopId, after, limit);
  const read = raw.map((order) => replayOrder(ports, normalizers, order));
  const rewritten = read.flatMap(({ order }) => order ?? []);
  const told = read.filter(({ keepsRejections }) => keepsRejections !== true);
  const keys = (orders: readonly RewrittenOrder[]) => orders.map(({ row }) => row.order_id);
  return {
    last: raw.at(-1)?.key,
    records: raw.length,
    normalized: [
      { resource: 'order', sourceKeys: keys(told.flatMap(({ order }) => order ?? [])) },
      { resource: 'content', sourceKeys: keys(rewritten.filter(({ lines }) => lines !== undefined)) },
    ],
    rejections: read.flatMap(({ rejections }) => rejections),
    async write(tx) {
      const { added, changed, lines } = await rewriteOrders(tx, shopId, rewritten);
      const payloads = read.flatMap(({ payload }) => payload ?? []);
      const contents = read.flatMap(({ content }) => content ?? []);
      await replacePayloads(tx, 'orders', shopId, payloads);
      await replacePayloads(tx, 'order_contents', shopId, contents);
      return { orders_added: added, orders_changed: changed, lines_changed: lines };
    },
  };
}

type ReplayedOrder = {
  readonly order: RewrittenOrder | undefined;
  /** Divided anew; undefined: as stored. */
  readonly payload?: PayloadToReplace;
  readonly content?: PayloadToReplace | undefined;
  readonly rejections: readonly Rejection[];
  /** The open ones of its fields stay as they are. */
  readonly keepsRejections?: boolean;
};

function replayOrder({ privacy, shop }: Ports, normalizers: Normalizers, raw: RawOrder): ReplayedOrder {
  const known = isJsonObject(raw.payload) ? raw.payload : {};
  const answer = raw.content && isJsonObject(raw.content.payload) ? raw.content.payload : undefined;
  const { fetchedAt, held, person } = raw;
  const toLines = (elements: readonly JsonValue[] | undefined) =>
    elements && raw.content && { ...normalizers.lines(raw.key, elements), fetchedAt: raw.content.fetchedAt };
  if (held?.isStripped === true) {
    const { row, rejections } = normalizers.order(known, shop);
    const lines = toLines(answer && contentLines(answer));
    const own = row && privacy.stored({ ...row, customer_key: held.customerKey });
    const order = own && { row: own, fingerprint: '', fetchedAt, lines, person: undefined, held };
    // What could not be read was left out: it is no news.
    const isSame = rejections.length > 0;
    return { order, rejections: lines?.rejections ?? [], keepsRejections: isSame };
  }
  const sent = person === null ? known : joinOrder(known, person, person.rest);
  const read = privacy.order(sent, normalizers.order);
  if (read.row === undefined) return { order: undefined, rejections: withKey(read.rejections, raw.key) };
  const divided =
    answer && privacy.content(joinContent(answer, person?.content_rest ?? null), read.isStripped);
  const lines = toLines(divided && contentLines(joinContent(divided.payload, divided.rest)));
  const order = {
    row: read.row,
    fingerprint: held ? '' : privacy.fingerprint(sent),
    fetchedAt,
    lines,
    person: person === null ? undefined : { person: read.person, contentRest: divided?.rest ?? null },
    held,
  };
  return {
    order,
    payload: { key: raw.key, payload: read.payload },
    content: divided && { key: raw.key, payload: divided.payload },
    rejections: [...read.rejections, ...(lines?.rejections ?? [])],
  };
}

async function readUsers(...[ports, normalizers, after, limit]: Parameters<ReadBatch>): Promise<Batch> {
  const { shopId } = ports.lease;
  const raw = await readRawUsers(ports.db, shopId, after, limit);
  const read = raw.map((user) => {
    const known = isJsonObject(user.payload) ? user.payload : {};
    const sent = user.person === null ? known : joinUser(known, user.person.content, user.person.rest);
    const { row, person, payload, rejections } = ports.privacy.user(user.key, sent, normalizers.user);
    const rewritten = row && { row, person: user.person === null ? undefined : person, raw: user };
    return { rewritten, payload: { key: user.key, payload }, rejections };
  });
  const rewritten = read.flatMap((user) => user.rewritten ?? []);
  return {
    last: raw.at(-1)?.key,
    records: raw.length,
    normalized: [{ resource: 'user', sourceKeys: rewritten.map(({ raw }) => raw.key) }],
    rejections: read.flatMap(({ rejections }) => rejections),
    async write(tx) {
      const changed = await rewriteUsers(tx, shopId, rewritten);
      const payloads = read.map(({ payload }) => payload);
      await replacePayloads(tx, 'users', shopId, payloads);
      return { users_changed: changed };
    },
  };
}

async function readGroups(...[ports, normalizers, after, limit]: Parameters<ReadBatch>): Promise<Batch> {
  const { shopId } = ports.lease;
  const raw = await readRawGroups(ports.db, shopId, after, limit);
  const read = raw.map((group) => {
    const known = isJsonObject(group.payload) ? group.payload : {};
    const { row, rejections } = normalizers.group(known, ports.shop);
    // Rejections of a deleted group need nobody's attention.
    return {
      rewritten: row && { row, raw: group },
      rejections: group.isGone ? [] : withKey(rejections, group.key),
    };
  });
  const rewritten = read.flatMap((group) => group.rewritten ?? []);
  return {
    last: raw.at(-1)?.key,
    records: raw.length,
    normalized: [{ resource: 'group', sourceKeys: rewritten.map(({ raw }) => raw.key) }],
    rejections: read.flatMap(({ rejections }) => rejections),
    write: async (tx) => ({ groups_changed: await rewriteGroups(tx, shopId, rewritten) }),
  };
}
