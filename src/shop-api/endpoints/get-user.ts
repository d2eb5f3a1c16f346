import { z } from 'zod';

import { TerminalError } from '../../errors.ts';
import { isJsonArray, isJsonObject, type JsonObject } from '../../json.ts';
import { type ResponseKind, createKindReader } from '../wire/response-kind.ts';
import type { ApiClient } from '../wire/api-request.ts';
import { bySchema, wireId, wireValue } from '../wire/wire-schemas.ts';

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
    return await client.send({ ...userRequest(key), readShape: bySchema(readUserResult), signal });
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
  const read = createKindReader(key, (value): Omit<UserResponse, 'kind'> => {
    const { data } = readUserResult.safeParse(value);
    return { user: data?.kind === 'found' ? data : undefined };
  });
  return client.send({ ...userRequest(key), read, signal });
}

function userRequest(key: string) {
  return { route: 'user', method: 'GET', path: `users/${encodeURIComponent(key)}` } as const;
}

const readUserResult = wireValue.transform((value, context): UserResult => {
  if (isJsonArray(value) && value.length === 0) return { kind: 'not-found' };
  const userOid = isJsonObject(value) ? wireId(value['oid']) : undefined;
  if (isJsonObject(value) && userOid !== undefined) return { kind: 'found', userOid, raw: value };
  context.addIssue({ code: 'custom', path: ['oid'], message: 'must be an identifier' });
  return z.NEVER;
});
