import { z } from 'zod';

import { TerminalError } from '../../errors.ts';
import { isJsonArray, isJsonObject, type JsonObject } from '../../json.ts';
import { type AnswerKind, readKind } from '../answer-kind.ts';
import type { Http } from '../../http/http-client.ts';
import { bySchema, wireId, wireValue } from '../wire-schemas.ts';

type FoundUser = { readonly kind: 'found'; readonly userOid: string; readonly raw: JsonObject };

/** A user as the shop holds it, or the shop's word that there is none. */
export type UserAnswer = FoundUser | { readonly kind: 'not-found' };

/** What came for one user, whatever it is. */
export type UserReply = {
  readonly kind: AnswerKind;
  /** Undefined where the answer is no user. */
  readonly user: FoundUser | undefined;
};

/**
 * GET /users/KEY.
 *
 * @param key the user's identifier, login or e-mail
 * @throws TerminalError, TransientError
 */
export async function getUser(http: Http, key: string, signal?: AbortSignal): Promise<UserAnswer> {
  try {
    return await http.send({ ...userBy(key), readShape: bySchema(userAnswer), signal });
  } catch (error) {
    if (error instanceof TerminalError && error.status === 404) return { kind: 'not-found' };
    throw error;
  }
}

/**
 * GET /users/KEY once: tried again only where no answer came, or a pause was asked for.
 *
 * @throws TerminalError, TransientError
 */
export async function askUser(http: Http, key: string, signal?: AbortSignal): Promise<UserReply> {
  const read = readKind(key, (value): Omit<UserReply, 'kind'> => {
    const { data } = userAnswer.safeParse(value);
    return { user: data?.kind === 'found' ? data : undefined };
  });
  return http.send({ ...userBy(key), read, signal });
}

function userBy(key: string) {
  return { route: 'user', method: 'GET', path: `users/${encodeURIComponent(key)}` } as const;
}

const userAnswer = wireValue.transform((value, context): UserAnswer => {
  if (isJsonArray(value) && value.length === 0) return { kind: 'not-found' };
  const userOid = isJsonObject(value) ? wireId(value['oid']) : undefined;
  if (isJsonObject(value) && userOid !== undefined) return { kind: 'found', userOid, raw: value };
  context.addIssue({ code: 'custom', path: ['oid'], message: 'must be an identifier' });
  return z.NEVER;
});
