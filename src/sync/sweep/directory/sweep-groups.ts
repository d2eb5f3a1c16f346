import type { JsonValue } from '../../../json.ts';
import { excerpt, type Rejection, withKey } from '../../../normalize/rejection.ts';
import { normalizeGroup } from '../../../normalize/group.ts';
import { fenced } from '../../../warehouse/ops/lease.ts';
import {
  groupsReadAt,
  type GroupToLoad,
  loadGroups,
  type UnreadGroup,
} from '../../../warehouse/directory/load-groups.ts';
import { type NormalizedRecords, recordRejections } from '../../../warehouse/ops/record-rejections.ts';
import type { Needs } from '../../run/context.ts';
import { readGroupTree } from './read-group-tree.ts';

/**
 * Reads the whole group tree if it was last read longer than `groupsMaxAgeMs` ago. Parts that cannot be read are
 * reported, and stay as they were.
 *
 * @param mayAsk whether the time budget allows more requests
 */
export async function sweepGroups(
  {
    ports,
    state,
  }: Needs<'api' | 'db' | 'lease' | 'now' | 'recordRun' | 'shop' | 'signal', 'counters' | 'problems'>,
  mayAsk: () => boolean,
): Promise<void> {
  const { db, lease, shop } = ports;
  const { counters, problems } = state;
  const readAt = await groupsReadAt(db, lease.shopId);
  const now = ports.now();
  if (readAt && now.epochMilliseconds - readAt.epochMilliseconds < shop.groupsMaxAgeMs) return;
  const tree = await readGroupTree(ports, mayAsk);
  problems.push(...tree.gaps);
  // After a temporary fault, the next sweep reads the whole tree again.
  if (tree.hasPassingFault) return;
  if (tree.groups.length === 0 && readAt !== undefined && tree.gaps.length === 0) {
    problems.push(
      'the shop returned an empty group tree, which looks like a fault of the shop: the stored groups were kept',
    );
  }
  // An empty tree deletes nothing: without a single group it may be a fault.
  const isWhole = tree.gaps.length === 0 && tree.groups.length > 0;
  const toLoad: GroupToLoad[] = [];
  const unread: UnreadGroup[] = [];
  const rejections: Rejection[] = tree.malformed.map(malformedRejection);
  for (const group of tree.groups) {
    const normalized = normalizeGroup(group.raw, shop);
    rejections.push(...withKey(normalized.rejections, group.groupOid));
    if (normalized.row) toLoad.push({ row: normalized.row, payload: group.raw });
    else unread.push({ groupOid: group.groupOid, payload: group.raw });
  }
  const { changed, newRejections } = await fenced(db, lease, async (tx) => {
    const changed = await loadGroups(tx, lease.shopId, toLoad, now, unread, isWhole);
    const sourceKeys = isWhole ? ('all' as const) : toLoad.map(({ row }) => row.group_oid);
    const normalized = [{ resource: 'group', sourceKeys }] satisfies NormalizedRecords[];
    return { changed, newRejections: await recordRejections(tx, lease.shopId, normalized, rejections) };
  });
  if (changed > 0) await ports.recordRun();
  counters.newRejections += newRejections;
  counters.rejections += rejections.length;
}

function malformedRejection(value: JsonValue): Rejection {
  const reason = 'the element has no usable oid';
  return { resource: 'group', sourceKey: null, field: null, reason, value: excerpt(value) };
}
