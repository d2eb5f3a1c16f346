import { TransientError } from '../../../model/errors.ts';
import type { JsonValue } from '../../../model/json.ts';
import { excerpt, type Rejection, withKey } from '../../../normalize/rejection.ts';
import { isPast } from '../../../plan/clock/clock-bounds.ts';
import type { GroupRow } from '../../../shop-api/endpoints/list-groups.ts';
import {
  groupsReadAt,
  type GroupToStore,
  markOtherGroups,
  storeGroups,
} from '../../../warehouse/directory/groups.ts';
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
  const { ports } = sweep;
  const { db, lease, shop } = ports;
  const { problems } = sweep.state;
  const readAt = await groupsReadAt(db, lease.shopId);
  const now = ports.now();
  const isRecent = readAt !== undefined && isPast(readAt, now);
  if (isRecent && now.epochMilliseconds - readAt.epochMilliseconds < shop.groupsMaxAgeMs) return;
  if (!ports.mayAsk()) return;
  const tree = await readGroupTree(ports);
  problems.push(...tree.gaps);
  // After a temporary fault, the next sweep reads the whole tree again.
  if (tree.hasPassingFault) return;
  if (tree.groups.size === 0 && readAt !== undefined && tree.gaps.size === 0) {
    problems.push(
      'the shop returned an empty group tree, which looks like a fault of the shop: the stored groups were kept',
    );
  }
  // An empty tree deletes nothing: without a single group it may be a fault.
  const isWhole = tree.gaps.size === 0 && tree.groups.size > 0;
  const groups: GroupToStore[] = [];
  const rejections: Rejection[] = tree.malformed.map(malformedRejection);
  for (const { groupOid, raw } of tree.groups.values()) {
    const { row, payload, rejections: own } = ports.privacy.group(raw);
    rejections.push(...withKey(own, groupOid));
    groups.push({ groupOid, fetchedAt: now, payload, row });
  }
  const sourceKeys = isWhole ? ('all' as const) : groups.flatMap(({ row }) => row?.group_oid ?? []);
  const normalized = [{ resource: 'group' as const, sourceKeys }];
  const changed = await writeNormalized(sweep, normalized, rejections, async (tx, shopId) => {
    const stored = await storeGroups(tx, shopId, groups);
    return isWhole ? stored + (await markOtherGroups(tx, shopId, groups, now)) : stored;
  });
  if (changed > 0) await ports.recordRun();
}

function malformedRejection(value: JsonValue): Rejection {
  const reason = 'the element has no usable oid';
  return { resource: 'group', sourceKey: null, field: null, reason, value: excerpt(value) };
}

type GroupPorts = Pick<Sweep['ports'], 'api' | 'mayAsk' | 'signal'>;
type Group = Extract<GroupRow, { readonly groupOid: string }>;

type GroupTree = {
  readonly groups: Map<string, Group>;
  /** Elements that have no usable identifier. */
  readonly malformed: JsonValue[];
  /** Why parts of the tree are missing: a sentence for each cause. Empty where it is complete. */
  readonly gaps: Set<string>;
  /** One of the causes may be temporary. */
  hasPassingFault: boolean;
  longestPage: number;
};

/**
 * Reads the tree level by level from the root. A group that appears twice is read once, so that a cycle ends; an
 * endless tree is cut off at 5,000 groups, 50 levels, or the end of the time budget.
 *
 * @throws TerminalError when the shop refuses more than groups, UnavailableError when it is unavailable
 */
async function readGroupTree(ports: GroupPorts): Promise<GroupTree> {
  const tree: GroupTree = {
    groups: new Map(),
    malformed: [],
    gaps: new Set(),
    longestPage: 0,
    hasPassingFault: false,
  };
  let folders: readonly string[] = [ROOT];
  for (let depth = 0; folders.length > 0; depth++) {
    if (depth === MAX_DEPTH) {
      tree.gaps.add(`the group tree is deeper than ${MAX_DEPTH} levels`);
      break;
    }
    folders = await readLevel(ports, folders, tree);
  }
  return tree;
}

async function readLevel(
  ports: GroupPorts,
  folders: readonly string[],
  tree: GroupTree,
): Promise<readonly string[]> {
  const { groups, malformed, gaps } = tree;
  const fresh: string[] = [];
  for (let start = 0; start < folders.length; start += FOLDERS_AT_ONCE) {
    if (groups.size > MAX_GROUPS) gaps.add(`the group tree holds more than ${MAX_GROUPS} groups`);
    else if (!ports.mayAsk()) gaps.add('the group tree could not be read completely within the time budget');
    if (groups.size > MAX_GROUPS || !ports.mayAsk()) return [];
    const some = folders.slice(start, start + FOLDERS_AT_ONCE);
    const read = await Promise.all(some.map((folder) => readFolder(ports, folder, tree)));
    for (const group of read.flat()) {
      if (group.groupOid === undefined) malformed.push(group.raw);
      if (group.groupOid === undefined || groups.has(group.groupOid)) continue;
      groups.set(group.groupOid, group);
      fresh.push(group.groupOid);
    }
  }
  return fresh;
}

/** The groups directly below one; after a fault, those received before it. */
async function readFolder(
  ports: GroupPorts,
  parentOid: string,
  tree: GroupTree,
): Promise<readonly GroupRow[]> {
  const children = new Map<string, GroupRow>();
  try {
    for (let start = 0; children.size <= MAX_GROUPS;) {
      const page = await ports.api.groups({ parentOid, start, limit: PAGE }, ports.signal);
      const known = children.size;
      for (const group of page) children.set(group.groupOid ?? JSON.stringify(group.raw), group);
      // The shop may cap pages below the limit: the last page is shorter than an earlier one, or brings nothing new.
      if (page.length < tree.longestPage || children.size === known) break;
      tree.longestPage = page.length;
      start += page.length;
    }
  } catch (error) {
    const fault = asRecordFault(error, ports.signal);
    if (fault instanceof TransientError) tree.hasPassingFault = true;
    tree.gaps.add(`groups could not be read: ${faultText(fault, 'them')}`);
  }
  return [...children.values()];
}
