/** `/groups` and `/users/KEY` with their records as the API shows them, and `/auth` with its other three paths. */
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../model/json.ts';
import { Random } from '../shop/random.ts';
import { type ApiDeps, cutList, LOGIN, sendError, sendJson, sendRefusal, sendUnknown } from './answer.ts';
import type { ApiContext } from './simulated-faults.ts';
import type { Dialect } from '../shop/dialect.ts';
import { readWhole } from './order-query.ts';
import { type WireRecord, type WireValue, wireValues } from './wire-values.ts';
import { isoSeconds } from '../shop/shop-clock.ts';
import { findUser, type SimGroup, type SimUser } from '../shop/sim-users.ts';

const DEFAULT_LIMIT = 100;
/** The administrator owns every object. */
const OWNER_OID = 3;

/** The groups of one folder: `parent_oid`, `start` and `limit` as documented. */
export function getGroups(c: ApiContext, deps: ApiDeps): Response {
  const { dialect } = deps.shop;
  if (deps.shop.refuses('groups')) return sendRefusal(c, deps);
  const parent = readWhole(c.req.query('parent_oid'), 'parent_oid', 0);
  const start = dialect.start === 'ignored' ? 0 : readWhole(c.req.query('start'), 'start', 0);
  const limit = Math.min(readWhole(c.req.query('limit'), 'limit', DEFAULT_LIMIT), deps.pages.cap ?? Infinity);
  const children = deps.shop
    .groups()
    .filter((group) => group.parentOid === parent)
    .slice(start, start + limit);
  const rows = cutList(c, children).map((group) => wireGroup(group, dialect));
  return sendJson(c, deps, JSON.stringify(rows));
}

/** A user by oid, login or e-mail. */
export function getUser(c: ApiContext, deps: ApiDeps): Response {
  const { shop } = deps;
  const key = c.req.param('key') ?? '';
  const users = shop.users();
  const user = findUser(users, 'oid', key) ?? findUser(users, 'login', key) ?? findUser(users, 'email', key);
  if (user === undefined) return sendUnknown(c, deps, 'user');
  if (shop.refuses('user', user.oid)) return sendRefusal(c, deps);
  return sendJson(c, deps, JSON.stringify(wireUser(user, shop.dialect)));
}

function wireGroup(group: SimGroup, dialect: Dialect): WireRecord {
  const { whole, text } = wireValues(dialect);
  return {
    oid: whole(group.oid),
    name: text(group.name),
    url: text(group.url),
    type: text('user_group'),
    template: whole(0),
    visible: whole(1),
    parent_oid: whole(group.parentOid),
    sort: whole(group.sort),
    master_oid: whole(OWNER_OID),
    access: whole(group.access),
    updated: isoSeconds(group.updatedLocal),
    created: isoSeconds(group.createdLocal),
  };
}

/** A user has the fields of a group, and its own under `content`. */
function wireUser(user: SimUser, dialect: Dialect): WireRecord {
  const shared = { name: user.fio, url: `user-${user.oid}`, parentOid: user.groupOid, sort: 0, access: 0 };
  return {
    ...wireGroup({ ...user, ...shared }, dialect),
    type: wireValues(dialect).text('user'),
    content: wireContent(user, dialect),
  };
}

function wireContent(user: SimUser, dialect: Dialect): WireValue {
  if (!user.hasContent) return {};
  const { whole, text } = wireValues(dialect);
  const image = (name: string): WireRecord => ({
    thumb: `/thumb/2/${name}`,
    path: `/d/${name}`,
    length: whole(20_000 + name.length),
    width: whole(200),
    height: whole(200),
    name,
  });
  return {
    address: text(user.address),
    email: text(user.email),
    gender: user.gender,
    images: user.images.map(image),
    level: whole(user.level),
    login: user.login,
    name: text(user.fio),
    org_name: text(user.orgName),
    phone: text(user.phone),
  };
}

/**
 * A login token and link for a user. Finds the user by the first of `user_id`, `login` and `email` that is given; without any of them the link is the
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
    const actkey = new Random(deps.shop.seed, 'actkey', issued).hex(32);
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

function findLogin({ shop }: ApiDeps, body: JsonObject): string | undefined {
  const users = shop.users();
  const [oid, login, email] = [toText(body['user_id']), toText(body['login']), toText(body['email'])];
  if (oid !== undefined) return findUser(users, 'oid', oid)?.login;
  if (login !== undefined) return findUser(users, 'login', login)?.login;
  if (email !== undefined) return findUser(users, 'email', email)?.login;
  return LOGIN;
}

function toText(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
