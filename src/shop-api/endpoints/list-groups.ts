import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import type { ApiClient } from '../wire/api-request.ts';
import { emptyFormOf, listReader, type Shaped } from '../wire/read-answer.ts';
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

type Groups = { readonly rows: readonly GroupRow[]; readonly emptyForm?: string };

/**
 * GET /groups: the groups directly below one. An answer that is no list may be a passing fault, so it is requested once more.
 *
 * @throws TerminalError, TransientError
 */
export async function listGroups(
  client: ApiClient,
  query: GroupsQuery,
  signal?: AbortSignal,
): Promise<readonly GroupRow[]> {
  const { parentOid, start, limit } = query;
  const ask = async () =>
    client.send({
      route: 'groups',
      method: 'GET',
      path: 'groups',
      query: { parent_oid: parentOid, start, limit },
      read: listReader(readGroups, noRows),
      alsoReads: 'no rows',
      isWidest: (start ?? 0) === 0 && (parentOid ?? '0') === '0',
      signal,
    });
  const { rows, emptyForm } = await ask();
  return emptyForm === undefined ? rows : (await ask()).rows;
}

const noRows = (emptyForm: string): Groups => ({ rows: [], emptyForm });

function readGroups(value: JsonValue): Shaped<Groups> {
  const entries = listEntries(value);
  const none = entries === undefined ? emptyFormOf(value) : undefined;
  if (none !== undefined) return { value: noRows(none) };
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
  const hasMessage = rows.length < entries.length;
  if (hasMessage && rows.length === 0) return { value: noRows('a message') };
  const isError = hasMessage && !rows.some(({ groupOid }) => groupOid !== undefined);
  return isError ? { mismatch: 'the whole: must be a list of groups' } : { value: { rows } };
}
