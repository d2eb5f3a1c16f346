import { z } from 'zod';

import { TerminalError } from '../errors.ts';
import { isJsonArray, isJsonObject, type JsonObject } from '../json.ts';
import type { Http } from './http.ts';
import { wireId, wireValue } from './wire.ts';

/** A user as the shop holds it, or the shop's word that there is none. */
export type UserAnswer =
  | { readonly kind: 'found'; readonly userOid: string; readonly raw: JsonObject }
  | { readonly kind: 'not-found' };

/**
 * GET /users/KEY.
 *
 * @param key the user's identifier, login or e-mail
 * @throws TerminalError, TransientError
 */
export async function getUser(http: Http, key: string, signal?: AbortSignal): Promise<UserAnswer> {
  try {
    const path = `users/${encodeURIComponent(key)}`;
    return await http.send({ route: 'user', method: 'GET', path, schema: userAnswer, signal });
  } catch (error) {
    if (error instanceof TerminalError && error.status === 404) return { kind: 'not-found' };
    throw error;
  }
}

const userAnswer = wireValue.transform((value, context): UserAnswer => {
  if (isJsonArray(value) && value.length === 0) return { kind: 'not-found' };
  const userOid = isJsonObject(value) ? wireId(value['oid']) : undefined;
  if (isJsonObject(value) && userOid !== undefined) return { kind: 'found', userOid, raw: value };
  context.addIssue({ code: 'custom', path: ['oid'], message: 'must be an identifier' });
  return z.NEVER;
});
