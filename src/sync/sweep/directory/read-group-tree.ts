import { TransientError } from '../../../errors.ts';
import type { JsonValue } from '../../../json.ts';
import type { GroupRow } from '../../../shop-api/endpoints/list-groups.ts';
import type { Ports } from '../../run/context.ts';
import { asRecordFault, isRefusal } from '../../run/record-faults.ts';

type GroupPorts = Pick<Ports, 'api' | 'signal'>;
type Group = Extract<GroupRow, { readonly groupOid: string }>;

export type GroupTree = {
  readonly groups: readonly Group[];
  /** Elements that have no usable identifier. */
  readonly malformed: readonly JsonValue[];
  /** Why parts of the tree are not in it: a sentence for each cause. Empty where it is whole. */
  readonly gaps: readonly string[];
  /** One of the causes may be gone soon. */
  readonly hasPassingFault: boolean;
};

const PAGE = 100;
/** The folder that all groups hang below. */
const ROOT = '0';
/** A tree that is larger, or deeper, is taken to have no end. */
const MAX_GROUPS = 5000;
const MAX_DEPTH = 50;
/** Folders that are read between two looks at the time. */
const FOLDERS_AT_ONCE = 20;

/**
 * Reads the tree level by level from the root. A group that turns up twice is read once, so that a circle ends; what has
 * no end by itself ends at 5,000 groups, 50 levels, or with the time budget.
 *
 * @param mayAsk whether the time budget allows more requests
 * @throws TerminalError when the shop refuses more than groups, UnavailableError when it is away
 */
export async function readGroupTree(ports: GroupPorts, mayAsk: () => boolean): Promise<GroupTree> {
  const reading: Reading = {
    groups: new Map(),
    malformed: [],
    gaps: new Set(),
    longestPage: 0,
    hasPassingFault: false,
  };
  let folders: readonly string[] = [ROOT];
  for (let depth = 0; folders.length > 0; depth++) {
    if (depth === MAX_DEPTH) {
      reading.gaps.add(`the group tree is deeper than ${MAX_DEPTH} levels`);
      break;
    }
    folders = await readLevel(ports, folders, reading, mayAsk);
  }
  const { malformed, hasPassingFault } = reading;
  return { groups: [...reading.groups.values()], malformed, gaps: [...reading.gaps], hasPassingFault };
}

/** What is read so far. */
type Reading = {
  readonly groups: Map<string, Group>;
  readonly malformed: JsonValue[];
  readonly gaps: Set<string>;
  longestPage: number;
  hasPassingFault: boolean;
};

/** @returns the groups that were found in these folders, and not before */
async function readLevel(
  ports: GroupPorts,
  folders: readonly string[],
  reading: Reading,
  mayAsk: () => boolean,
): Promise<readonly string[]> {
  const { groups, malformed, gaps } = reading;
  const fresh: string[] = [];
  for (let start = 0; start < folders.length; start += FOLDERS_AT_ONCE) {
    if (groups.size > MAX_GROUPS) gaps.add(`the group tree holds more than ${MAX_GROUPS} groups`);
    else if (!mayAsk()) gaps.add('the group tree could not be read whole within the time budget');
    if (groups.size > MAX_GROUPS || !mayAsk()) return [];
    const some = folders.slice(start, start + FOLDERS_AT_ONCE);
    const read = await Promise.all(some.map((folder) => readFolder(ports, folder, reading)));
    for (const group of read.flat()) {
      if (group.groupOid === undefined) malformed.push(group.raw);
      if (group.groupOid === undefined || groups.has(group.groupOid)) continue;
      groups.set(group.groupOid, group);
      fresh.push(group.groupOid);
    }
  }
  return fresh;
}

/** The groups directly below one; those that came before a fault, where there is one. */
async function readFolder(
  ports: GroupPorts,
  parentOid: string,
  reading: Reading,
): Promise<readonly GroupRow[]> {
  const children = new Map<string, GroupRow>();
  try {
    for (let start = 0; children.size <= MAX_GROUPS;) {
      const page = await ports.api.groups({ parentOid, start, limit: PAGE }, ports.signal);
      const known = children.size;
      for (const group of page) children.set(group.groupOid ?? JSON.stringify(group.raw), group);
      // Pages may be capped below what was asked for: only one that is shorter than another was, or brings nothing new, is
      // the last one.
      if (page.length < reading.longestPage || children.size === known) break;
      reading.longestPage = page.length;
      start += page.length;
    }
  } catch (error) {
    const fault = asRecordFault(error, ports.signal);
    if (fault instanceof TransientError) reading.hasPassingFault = true;
    const reason = isRefusal(fault) ? `the shop refuses them (HTTP ${fault.status})` : fault.message;
    reading.gaps.add(`groups could not be read: ${reason}`);
  }
  return [...children.values()];
}
