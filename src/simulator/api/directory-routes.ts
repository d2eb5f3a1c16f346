/** `/groups` and `/users/KEY`, and their records as the API shows them. */
import { type ApiContext, type ApiDeps, cutList, sendJson, sendRefusal, sendUnknown } from './answer.ts';
import type { Dialect } from '../shop/dialect.ts';
import { readWhole } from './order-query.ts';
import { type WireRecord, type WireValue, wireValues } from './wire-values.ts';
import { isoSeconds } from '../shop/shop-clock.ts';
import type { SimGroup, SimUser } from '../shop/sim-users.ts';

const DEFAULT_LIMIT = 100;
/** The administrator owns every object. */
const OWNER_OID = 3;

/** The groups of one folder: `parent_oid`, `start` and `limit` as documented. */
export function getGroups(c: ApiContext, deps: ApiDeps): Response {
  const { groups, dialect, refusals } = deps.world;
  if (refusals.has('groups')) return sendRefusal(c, deps);
  const parent = readWhole(c.req.query('parent_oid'), 'parent_oid', 0);
  const start = dialect.start === 'ignored' ? 0 : readWhole(c.req.query('start'), 'start', 0);
  const limit = Math.min(readWhole(c.req.query('limit'), 'limit', DEFAULT_LIMIT), deps.pages.cap ?? Infinity);
  const children = groups.filter((group) => group.parentOid === parent).slice(start, start + limit);
  const rows = cutList(c, children).map((group) => wireGroup(group, dialect));
  return sendJson(c, deps, JSON.stringify(rows));
}

/** A user by oid, login or e-mail. */
export function getUser(c: ApiContext, deps: ApiDeps): Response {
  const { directory, refusals, dialect } = deps.world;
  const user = directory.byAnyKey(c.req.param('key') ?? '');
  if (user === undefined) return sendUnknown(c, deps, 'user');
  if (refusals.has('user', user.oid)) return sendRefusal(c, deps);
  return sendJson(c, deps, JSON.stringify(wireUser(user, dialect)));
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
  if (!user.hasContent) return dialect.emptyUserContent === 'array' ? [] : {};
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
