/** `/auth` and its other three paths: a login token and link for a user. */
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../json.ts';
import { Random } from '../shop/random.ts';
import { type ApiContext, type ApiDeps, sendError, sendJson } from './answer.ts';

/**
 * Finds the user by the first of `user_id`, `login` and `email` that is given; without any of them the link is the
 * administrator's. Every link has another token.
 */
export function handleLogin(deps: ApiDeps): (c: ApiContext) => Promise<Response> {
  let issued = 0;
  return async (c) => {
    const body = readBody(await c.req.text());
    if (body === undefined) return sendError(c, deps, 400, 'the body must be a JSON object');
    const login = findLogin(deps, body);
    if (login === undefined) return sendError(c, deps, 404, 'no such user');
    issued += 1;
    const actkey = new Random(deps.world.seed, 'actkey', issued).hex(32);
    const link = new URL('/', c.req.url);
    link.searchParams.set('login', login);
    link.searchParams.set('actkey', actkey);
    link.searchParams.set('r', toText(body['redirect_url']) ?? '/');
    return sendJson(c, deps, JSON.stringify({ login, actkey, link: link.href }));
  };
}

/** Undefined when the text is not a JSON object; an empty text is an empty object. */
function readBody(text: string): JsonObject | undefined {
  if (text.trim() === '') return {};
  try {
    const body = parseJson(text);
    return isJsonObject(body) ? body : undefined;
  } catch {
    return undefined;
  }
}

function findLogin(deps: ApiDeps, body: JsonObject): string | undefined {
  const { directory } = deps.world;
  const [oid, login, email] = [toText(body['user_id']), toText(body['login']), toText(body['email'])];
  if (oid !== undefined) return directory.byOid(oid)?.login;
  if (login !== undefined) return directory.byLogin(login)?.login;
  if (email !== undefined) return directory.byEmail(email)?.login;
  return deps.login;
}

function toText(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
