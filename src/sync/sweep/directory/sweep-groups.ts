import { TransientError } from '../../../model/errors.ts';
import type { JsonValue } from '../../../model/json.ts';
import { excerpt, type Rejection, withKey } from '../../../normalize/rejection.ts';
import { isPast } from '../../../plan/clock/clock-bounds.ts';
import type { GroupRow } from '../../../shop-api/endpoints/list-groups.ts';
import type { ShopApi } from '../../../shop-api/shop-api.ts';
import { groupsReadAt, markOtherGroups, storeGroups } from '../../../warehouse/directory/groups.ts';
import { asRecordFault, faultText } from '../../ask/record-faults.ts';
import type { Sweep } from '../../run/context.ts';
import { writeNormalized } from '../../run/write-normalized.ts';

const PAGE = 100;
const ROOT = '0';
/** A larger or deeper tree is assumed to be endless. */
const MAX_GROUPS = 5000;
const MAX_DEPTH = 50;
/** Folders read between two checks of the time budget. */
const FOLDERS_AT_ONCE = 20;

/**
 * Reads the whole group tree if it was last read longer than `groupsMaxAgeMs` ago. Parts that cannot be read are
 * reported, and stay as they were.
 */
export async function sweepGroups(sweep: Sweep): Promise<void> {
  const { ports, state } = sweep;
  const { db, lease, privacy, shop } = ports;
  const readAt = await groupsReadAt(db, lease.shopId);
  const now = ports.now();
  const isRecent = readAt !== undefined && isPast(readAt, now);
  if (isRecent && now.epochMilliseconds - readAt.epochMilliseconds < shop.groupsMaxAgeMs) return;
  if (!ports.hasTimeLeft()) return;
  const { gaps, groups, hasPassingFault, malformed } = await readGroupTree(ports);
  state.problems.push(...gaps);
  // After a temporary fault, the next sweep reads the whole tree again.
  if (hasPassingFault) return;
  if (groups.size === 0 && gaps.size === 0 && readAt !== undefined) {
    state.problems.push(
      'the shop returned an empty group tree, which looks like a fault of the shop: the stored groups were kept',
    );
  }
  // An empty tree deletes nothing: without a single group it may be a fault.
  const isWhole = gaps.size === 0 && groups.size > 0;
  const read = [...groups.values()].map(({ groupOid, raw }) => ({
    groupOid,
    fetchedAt: now,
    ...privacy.group(raw),
  }));
  const rejections = [
    ...malformed.map(malformedRejection),
    ...read.flatMap(({ groupOid, rejections }) => withKey(rejections, groupOid)),
  ];
  const sourceKeys = isWhole ? ('all' as const) : read.flatMap(({ row }) => row?.group_oid ?? []);
  const { changed } = await writeNormalized(sweep, async (tx, shopId) => {
    const stored = await storeGroups(tx, shopId, read);
    const others = isWhole ? await markOtherGroups(tx, shopId, read, now) : 0;
    return { normalized: [{ resource: 'group', sourceKeys }], rejections, changed: stored + others };
  });
  if (changed > 0) state.counters.hasWritten = true;
}

function malformedRejection(value: JsonValue): Rejection {
  const reason = 'the element has no usable oid';
  return { resource: 'group', sourceKey: null, field: null, reason, value: excerpt(value) };
}

type GroupPorts = Pick<Sweep['ports'], 'api' | 'hasTimeLeft' | 'signal'>;

/**
 * Reads the tree level by level from the root. A group that appears twice is read once, so that a cycle ends; an
 * endless tree is cut off at 5,000 groups, 50 levels, or the end of the time budget. After a fault in a folder, those that came
 * before it stay.
 *
 * @returns `gaps`: why parts of the tree are missing, a sentence for each cause; empty where it is complete
 * @throws TerminalError when the shop refuses more than groups, UnavailableError when it is unavailable
 */
async function readGroupTree({ api, hasTimeLeft, signal }: GroupPorts) {
  const groups = new Map<string, Extract<GroupRow, { readonly groupOid: string }>>();
  const [malformed, gaps]: [JsonValue[], Set<string>] = [[], new Set()];
  let hasPassingFault = false;
  const pages = { longest: 0 };
  const readFolder = async (parentOid: string) => {
    const children = new Map<string, GroupRow>();
    try {
      await readGroups(api, parentOid, signal, children, pages);
    } catch (error) {
      const fault = asRecordFault(error, signal);
      hasPassingFault ||= fault instanceof TransientError;
      gaps.add(`groups could not be read: ${faultText(fault, 'them')}`);
    }
    return [...children.values()];
  };
  const whyEnd = (depth: number) => {
    if (depth === MAX_DEPTH) return `the group tree is deeper than ${MAX_DEPTH} levels`;
    if (groups.size > MAX_GROUPS) return `the group tree holds more than ${MAX_GROUPS} groups`;
    return hasTimeLeft() ? undefined : 'the group tree could not be read completely within the time budget';
  };
  let level = [ROOT];
  for (let depth = 0; level.length > 0; depth++) {
    const below: string[] = [];
    for (let start = 0; start < level.length; start += FOLDERS_AT_ONCE) {
      const gap = whyEnd(depth);
      if (gap !== undefined) return { groups, malformed, gaps: gaps.add(gap), hasPassingFault };
      const read = await Promise.all(level.slice(start, start + FOLDERS_AT_ONCE).map(readFolder));
      for (const group of read.flat()) {
        if (group.groupOid === undefined) malformed.push(group.raw);
        if (group.groupOid === undefined || groups.has(group.groupOid)) continue;
        groups.set(group.groupOid, group);
        below.push(group.groupOid);
      }
    }
    level = below;
  }
  return { groups, malformed, gaps, hasPassingFault };
}

/**
 * Reads the groups directly below one.
 *
 * @param found takes them as they come
 * @param pages how long pages were seen to be: a shop may cap them below the limit, and the last one is shorter, or brings nothing new
 * @throws TerminalError, TransientError
 */
export async function readGroups(
  api: Pick<ShopApi, 'groups'>,
  parentOid: string,
  signal: AbortSignal,
  found: Map<string, GroupRow>,
  pages: { longest: number },
): Promise<void> {
  for (let start = 0; found.size <= MAX_GROUPS;) {
    const page = await api.groups({ parentOid, start, limit: PAGE }, signal);
    const known = found.size;
    for (const group of page) found.set(group.groupOid ?? JSON.stringify(group.raw), group);
    if (page.length < pages.longest || found.size === known) return;
    pages.longest = page.length;
    start += page.length;
  }
}
