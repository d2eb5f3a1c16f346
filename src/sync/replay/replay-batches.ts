/** Batches of a replay: reads stored payloads, normalizes them, and writes rows and position in one transaction. */
import { isJsonObject } from '../../model/json.ts';
import { isLeftOut, joinUser } from '../../normalize/privacy/records.ts';
import { type Rejection, withKey } from '../../normalize/rejection.ts';
import type { Tx } from '../../warehouse/db/database.ts';
import { storeGroups } from '../../warehouse/directory/groups.ts';
import { storeUsers } from '../../warehouse/directory/users.ts';
import type { NormalizedRecords } from '../../warehouse/ops/rejections.ts';
import {
  readRawGroups,
  readRawOrders,
  readRawUsers,
  replacePayloads,
} from '../../warehouse/raw/raw-records.ts';
import type { RunPorts } from '../run/context.ts';
import { type Normalizers, type ReplayedOrder, replayOrder, writeReplayed } from '../run/replay-orders.ts';
import type { Stage } from '../run/replay-state.ts';

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
  const raw = await readRawOrders(ports.db, shopId, { after, limit });
  const read = raw.map((order) => replayOrder(ports.privacy, normalizers, order));
  const told = read.filter(({ keepsRejections }) => keepsRejections !== true);
  const keys = (orders: readonly ReplayedOrder[]) => orders.flatMap(({ order }) => order?.row.order_id ?? []);
  return {
    last: raw.at(-1)?.key,
    records: raw.length,
    normalized: [
      { resource: 'order', sourceKeys: keys(told) },
      { resource: 'content', sourceKeys: keys(read.filter(({ order }) => order?.lines !== undefined)) },
    ],
    rejections: read.flatMap(({ rejections }) => rejections),
    async write(tx) {
      const { added, changed, lines } = await writeReplayed(tx, shopId, read);
      return { orders_added: added, orders_changed: changed, lines_changed: lines };
    },
  };
}

async function readUsers(...[ports, normalizers, after, limit]: Parameters<ReadBatch>): Promise<Batch> {
  const { shopId } = ports.lease;
  const raw = await readRawUsers(ports.db, shopId, after, limit);
  const read = raw.map((user) => {
    const known = isJsonObject(user.payload) ? user.payload : {};
    const sent = user.person === null ? known : joinUser(known, user.person.content, user.person.rest);
    const { row, person, payload, rejections } = ports.privacy.user(user.key, sent, normalizers.user);
    const kept = user.person === null ? undefined : person;
    const rewritten = row && { row, person: kept, userOid: row.user_oid, ...user.fetched };
    return { rewritten, payload: { key: user.key, payload }, rejections };
  });
  const rewritten = read.flatMap((user) => user.rewritten ?? []);
  return {
    last: raw.at(-1)?.key,
    records: raw.length,
    normalized: [{ resource: 'user', sourceKeys: rewritten.map(({ userOid }) => userOid) }],
    rejections: read.flatMap(({ rejections }) => rejections),
    async write(tx) {
      const changed = await storeUsers(tx, shopId, rewritten);
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
    const { row, payload, rejections } = ports.privacy.group(known, normalizers.group);
    // Those of a deleted group need nobody's attention. What could not be read was left out: it is no news, and stays open.
    const hasLeftOut = !group.isGone && rejections.some(isLeftOut);
    const { isGone, fetchedAt, key: groupOid } = group;
    return {
      stored: { groupOid, row, payload, fetchedAt, isGone },
      hasLeftOut,
      rejections: isGone || hasLeftOut ? [] : withKey(rejections, groupOid),
    };
  });
  const readable = read.filter(({ hasLeftOut, stored }) => !hasLeftOut && stored.row !== undefined);
  return {
    last: raw.at(-1)?.key,
    records: raw.length,
    normalized: [{ resource: 'group', sourceKeys: readable.map(({ stored }) => stored.groupOid) }],
    rejections: read.flatMap(({ rejections }) => rejections),
    async write(tx) {
      const groups = read.map(({ stored }) => stored);
      return { groups_changed: await storeGroups(tx, shopId, groups, true) };
    },
  };
}
