import { isJsonObject, type JsonValue } from '../../model/json.ts';
import type { ApiClient } from '../wire/api-request.ts';
import { dataReader, type Shaped } from '../wire/read-answer.ts';
import { wireText } from '../wire/wire-values.ts';

/** Whom to log in. */
export type AuthSubject = { readonly by: 'email' | 'login' | 'user_id'; readonly value: string };

/** A one-time login link. Whoever holds it can log in as that user: show it, never log it. */
export type LoginLink = { readonly login: string; readonly actkey: string; readonly link: string };

/**
 * POST /auth/email, /auth/login or /auth/user_id.
 *
 * @param redirectUrl where the link leads after the login; the shop's main page when absent
 * @throws TerminalError, TransientError
 */
export async function requestLoginLink(
  client: ApiClient,
  { by, value }: AuthSubject,
  redirectUrl?: string,
  signal?: AbortSignal,
): Promise<LoginLink> {
  const redirect = redirectUrl === undefined ? {} : { redirect_url: redirectUrl };
  return client.send({
    route: 'auth',
    method: 'POST',
    path: `auth/${by}`,
    body: { [by]: value, ...redirect },
    read: dataReader(readLink),
    signal,
  });
}

function readLink(value: JsonValue): Shaped<LoginLink> {
  const sent = isJsonObject(value) ? value : {};
  const [login, actkey, link] = [wireText(sent['login']), wireText(sent['actkey']), wireText(sent['link'])];
  if (login === undefined) return { mismatch: 'login: must be a text' };
  if (actkey === undefined) return { mismatch: 'actkey: must be a text' };
  return link === undefined ? { mismatch: 'link: must be a text' } : { value: { login, actkey, link } };
}
