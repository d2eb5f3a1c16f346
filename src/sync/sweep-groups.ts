import { type Rejection, withKey } from '../normalize/rejection.ts';
import { normalizeGroup } from '../normalize/group.ts';
import type { GroupRow } from '../shop-api/groups.ts';
import { fenced } from '../warehouse/lease.ts';
import { groupsReadAt, type GroupToLoad, loadGroups, type UnreadGroup } from '../warehouse/load-groups.ts';
import { recordRejections } from '../warehouse/rejections.ts';
import type { SweepDeps } from './deps.ts';

const PAGE = 100;
/** The folder that all groups hang below. */
const ROOT = '0';

/** Reads the whole group tree when it was last read longer ago than `groupsMaxAgeMs`. */
export async function sweepGroups(deps: SweepDeps): Promise<void> {
  const { db, lease, shop, tally } = deps;
  const readAt = await groupsReadAt(db, lease.shopId);
  const now = deps.now();
  if (readAt && now.epochMilliseconds - readAt.epochMilliseconds < shop.groupsMaxAgeMs) return;
  const tree = await readTree(deps);
  if (tree.length === 0 && readAt !== undefined) {
    tally.shortfalls.push(
      'the group tree came back empty, which looks like a fault of the shop: it was left as it is',
    );
    return;
  }
  const toLoad: GroupToLoad[] = [];
  const unread: UnreadGroup[] = [];
  const rejections: Rejection[] = [];
  for (const group of tree) {
    const normalized = normalizeGroup(group.raw);
    rejections.push(...withKey(normalized.rejections, group.groupOid));
    if (normalized.row) toLoad.push({ row: normalized.row, payload: group.raw });
    else unread.push({ groupOid: group.groupOid, payload: group.raw });
  }
  tally.newRejections += await fenced(db, lease, async (tx) => {
    await loadGroups(tx, lease.shopId, toLoad, now, unread);
    return recordRejections(tx, lease.shopId, [{ resource: 'group', sourceKeys: 'all' }], rejections);
  });
  tally.rejections += rejections.length;
}

/** Level by level from the root. A group that turns up twice is read once, so a circle ends. */
async function readTree(deps: SweepDeps): Promise<readonly GroupRow[]> {
  const tree = new Map<string, GroupRow>();
  const seen = { longestPage: 0 };
  let parents: readonly string[] = [ROOT];
  while (parents.length > 0) {
    const children = (await Promise.all(parents.map((parent) => readChildren(deps, parent, seen)))).flat();
    const fresh = children.filter(({ groupOid }) => !tree.has(groupOid));
    for (const group of fresh) tree.set(group.groupOid, group);
    parents = [...new Set(fresh.map(({ groupOid }) => groupOid))];
  }
  return [...tree.values()];
}

async function readChildren(
  deps: SweepDeps,
  parentOid: string,
  seen: { longestPage: number },
): Promise<readonly GroupRow[]> {
  const children = new Map<string, GroupRow>();
  for (let start = 0; ;) {
    const page = await deps.api.groups({ parentOid, start, limit: PAGE }, deps.signal);
    const known = children.size;
    for (const group of page) children.set(group.groupOid, group);
    // Pages may be capped below what was asked for: only one that is shorter than another was, or brings nothing new, is
    // the last one.
    if (page.length < seen.longestPage || children.size === known) return [...children.values()];
    seen.longestPage = page.length;
    start += page.length;
  }
}
