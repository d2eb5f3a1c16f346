import { z } from 'zod';

import { isJsonObject, type JsonObject } from '../json.ts';
import type { Http } from './http.ts';
import { wireId, wireList } from './wire.ts';

export type GroupsQuery = {
  /** Groups directly below this one. @default '0', the root */
  readonly parentOid?: string;
  readonly start?: number;
  readonly limit?: number;
};

export type GroupRow = { readonly groupOid: string; readonly raw: JsonObject };

/** GET /groups: the groups directly below one. @throws TerminalError, TransientError */
export async function listGroups(
  http: Http,
  query: GroupsQuery,
  signal?: AbortSignal,
): Promise<readonly GroupRow[]> {
  const { parentOid, start, limit } = query;
  return http.send({
    route: 'groups',
    method: 'GET',
    path: 'groups',
    query: { parent_oid: parentOid, start, limit },
    schema: groupsAnswer,
    signal,
  });
}

const groupsAnswer = wireList.transform((entries, context): readonly GroupRow[] =>
  entries.map(({ value }, index) => {
    const groupOid = isJsonObject(value) ? wireId(value['oid']) : undefined;
    if (isJsonObject(value) && groupOid !== undefined) return { groupOid, raw: value };
    context.addIssue({ code: 'custom', path: [index, 'oid'], message: 'must be an identifier' });
    return z.NEVER;
  }),
);
