/** Batches of a replay: stored payloads that are normalized, and not yet written. */
import { isJsonObject } from '../../model/json.ts';
import { isLeftOut, joinUser } from '../../normalize/privacy/records.ts';
import { withKey } from '../../normalize/rejection.ts';
import type { Tx } from '../../warehouse/db/database.ts';
import { storeGroups } from '../../warehouse/directory/groups.ts';
import { storeUsers } from '../../warehouse/directory/users.ts';
import {
  readRawGroups,
  readRawOrders,
  readRawUsers,
  replaceUserPayloads,
} from '../../warehouse/raw/raw-records.ts';
import type { RunPorts } from '../run/context.ts';
import { replayOrder } from '../run/replay-orders.ts';
import { loadNormalized, type Written } from '../run/write-normalized.ts';

export const STAGES = ['orders', 'users', 'groups'] as const;
export type Stage = (typeof STAGES)[number];

export type ReplayCounts = Readonly<typeof NOTHING_CHANGED>;

export const NOTHING_CHANGED = {
  orders_added: 0,
  orders_changed: 0,
  lines_changed: 0,
  users_changed: 0,
  groups_changed: 0,
};

type Batch = {
  /** As they are stored. */
  readonly raw: readonly { readonly key: string }[];
  readonly write: (tx: Tx) => Promise<Written & { readonly changed: Partial<ReplayCounts> }>;
};

type Ports = Pick<RunPorts, 'db' | 'lease' | 'privacy'>;

/** @param after the last key of the batch before */
type ReadBatch = (ports: Ports, after: string | undefined, limit: number) => Promise<Batch>;

export const READ_BATCH: Readonly<Record<Stage, ReadBatch>> = {
  async orders({ db, lease: { shopId }, privacy }, after, limit) {
    const raw = await readRawOrders(db, shopId, { after, limit });
    const read = raw.map((order) => replayOrder(privacy, order));
    return {
      raw,
      async write(tx) {
        const written = await loadNormalized(tx, shopId, read, { isReread: true });
        const { added, headers, lines } = written.loaded;
        const orders = { orders_added: added.size, orders_changed: headers - added.size };
        return { ...written, changed: { ...orders, lines_changed: lines } };
      },
    };
  },

  async users({ db, lease: { shopId }, privacy }, after, limit) {
    const raw = await readRawUsers(db, shopId, after, limit);
    const read = raw.map((user) => {
      const known = isJsonObject(user.payload) ? user.payload : {};
      const sent = user.person === null ? known : joinUser(known, user.person.content, user.person.rest);
      const { row, person, ...others } = privacy.user(user.key, sent);
      const kept = user.person === null ? undefined : person;
      const last = { fetchState: user.lastState, fetchedAt: user.lastAt };
      const rewritten = row && { ...last, row, person: kept, userOid: row.user_oid };
      return { ...others, key: user.key, rewritten };
    });
    const rewritten = read.flatMap((user) => user.rewritten ?? []);
    const written: Written = {
      normalized: [{ resource: 'user', sourceKeys: rewritten.map(({ userOid }) => userOid) }],
      rejections: read.flatMap(({ rejections }) => rejections),
    };
    return {
      raw,
      async write(tx) {
        await replaceUserPayloads(tx, shopId, read);
        return { ...written, changed: { users_changed: await storeUsers(tx, shopId, rewritten) } };
      },
    };
  },

  async groups({ db, lease: { shopId }, privacy }, after, limit) {
    const raw = await readRawGroups(db, shopId, after, limit);
    const read = raw.map((group) => {
      const { row, payload, rejections } = privacy.group(isJsonObject(group.payload) ? group.payload : {});
      // Rejections of a deleted group need no attention. Values that were left out before are not new: their rejections stay open.
      const hasLeftOut = !group.isGone && rejections.some(isLeftOut);
      const reported = group.isGone || hasLeftOut ? [] : withKey(rejections, group.key);
      const stored = { groupOid: group.key, fetchedAt: group.fetchedAt, isGone: group.isGone, row, payload };
      return { stored, hasLeftOut, rejections: reported };
    });
    const settled = read.filter(({ hasLeftOut, stored }) => stored.row !== undefined && !hasLeftOut);
    const written: Written = {
      normalized: [{ resource: 'group', sourceKeys: settled.map(({ stored }) => stored.groupOid) }],
      rejections: read.flatMap(({ rejections }) => rejections),
    };
    return {
      raw,
      async write(tx) {
        const groups = read.map(({ stored }) => stored);
        return { ...written, changed: { groups_changed: await storeGroups(tx, shopId, groups, true) } };
      },
    };
  },
};
