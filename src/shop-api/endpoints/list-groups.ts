import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts';
import type { ApiClient } from '../wire/api-request.ts';
import type { Shaped } from '../wire/read-response.ts';
import { listEntries, wireId } from '../wire/wire-values.ts';

export type GroupsQuery = {
  /** Groups directly below this one. @default '0', the root */
  readonly parentOid?: string;
  readonly start?: number;
  readonly limit?: number;
};

export type GroupRow =
  | { readonly groupOid: string; readonly raw: JsonObject }
  /** An element without a usable identifier. */
  | { readonly groupOid: undefined; readonly raw: JsonValue };

/** GET /groups: the groups directly below one. @throws TerminalError, TransientError */
export async function listGroups(
  client: ApiClient,
  query: GroupsQuery,
  signal?: AbortSignal,
): Promise<readonly GroupRow[]> {
  const { parentOid, start, limit } = query;
  return client.send({
    route: 'groups',
    method: 'GET',
    path: 'groups',
    query: { parent_oid: parentOid, start, limit },
    readShape: readGroups,
    signal,
  });
}

function readGroups(value: JsonValue): Shaped<readonly GroupRow[]> {
  const entries = listEntries(value);
  if (entries === undefined) return { mismatch: 'the whole: must be a list' };
  const rows = entries
    // A list that is an object may say more than its elements.
    .filter(({ key, value }) => key !== 'message' || typeof value !== 'string')
    .map(({ value }) => {
      const groupOid = isJsonObject(value) ? wireId(value['oid']) : undefined;
      return isJsonObject(value) && groupOid !== undefined
        ? { groupOid, raw: value }
        : { groupOid: undefined, raw: value };
    });
  const isMessage = rows.length < entries.length && !rows.some(({ groupOid }) => groupOid !== undefined);
  return isMessage ? { mismatch: 'the whole: must be a list of groups' } : { value: rows };
}
