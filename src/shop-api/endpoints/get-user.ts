import { TerminalError } from '../../model/errors.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { kindReader, type ResponseKind } from '../wire/response-kind.ts';
import type { ApiClient } from '../wire/api-request.ts';
import { dataReader, type Shaped } from '../wire/read-answer.ts';
import { wireId } from '../wire/wire-values.ts';

type FoundUser = { readonly kind: 'found'; readonly userOid: string; readonly raw: JsonObject };

/** A user as the shop has it, or its statement that there is none. */
export type UserResult = FoundUser | { readonly kind: 'not-found' };

/** What the shop responded for one user, whatever it is. */
export type UserResponse = {
  readonly kind: ResponseKind;
  /** Undefined where the response is no user. */
  readonly user: FoundUser | undefined;
};

/**
 * GET /users/KEY.
 *
 * @param key the user's identifier, login or e-mail
 * @throws TerminalError, TransientError
 */
export async function getUser(client: ApiClient, key: string, signal?: AbortSignal): Promise<UserResult> {
  try {
    return await client.send({ ...userRequest(key), read: dataReader(readUser), signal });
  } catch (error) {
    if (error instanceof TerminalError && error.status === 404) return { kind: 'not-found' };
    throw error;
  }
}

/**
 * GET /users/KEY once: retried only where there was no response, or a pause was requested.
 *
 * @throws TerminalError, TransientError
 */
export async function getUserResponse(
  client: ApiClient,
  key: string,
  signal?: AbortSignal,
): Promise<UserResponse> {
  const read = kindReader(key, (value): Omit<UserResponse, 'kind'> => {
    const shaped = value === undefined ? undefined : readUser(value);
    const user = shaped && 'value' in shaped ? shaped.value : undefined;
    return { user: user?.kind === 'found' ? user : undefined };
  });
  return client.send({ ...userRequest(key), read, alsoReads: 'anything', signal });
}

function userRequest(key: string) {
  return { route: 'user', method: 'GET', path: `users/${encodeURIComponent(key)}` } as const;
}

function readUser(value: JsonValue): Shaped<UserResult> {
  if (isJsonArray(value) && value.length === 0) return { value: { kind: 'not-found' } };
  const userOid = isJsonObject(value) ? wireId(value['oid']) : undefined;
  return isJsonObject(value) && userOid !== undefined
    ? { value: { kind: 'found', userOid, raw: value } }
    : { mismatch: 'oid: must be an identifier' };
}
