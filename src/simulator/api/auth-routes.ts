/** `/auth` and its other three names: a login token and link for a user. */
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../json.ts';
import { type ApiContext, type ApiDeps, sendError, sendJson } from './answer.ts';
import { Random } from '../shop/random.ts';

/**
 * The user is sought by the first of `user_id`, `login` and `email` that is given; with none of them the link is the
 * administrator's. Every link has another token.
 */
export function loginLinks(deps: ApiDeps): (c: ApiContext) => Promise<Response> {
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
    link.searchParams.set('r', textOf(body['redirect_url']) ?? '/');
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
  const [oid, login, email] = [textOf(body['user_id']), textOf(body['login']), textOf(body['email'])];
  if (oid !== undefined) return directory.byOid(oid)?.login;
  if (login !== undefined) return directory.byLogin(login)?.login;
  if (email !== undefined) return directory.byEmail(email)?.login;
  return deps.login;
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
