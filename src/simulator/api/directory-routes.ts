/** `/groups` and `/users/KEY`. */
import { type ApiContext, type ApiDeps, cutList, sendJson } from './answer.ts';
import { wholeOf } from './order-query.ts';
import { sendRefusal, sendUnknownUser } from './unknown-records.ts';
import { wireGroup, wireUser } from './wire-directory.ts';

const DEFAULT_LIMIT = 100;

/** The groups of one folder: `parent_oid`, `start` and `limit` as documented. */
export function getGroups(c: ApiContext, deps: ApiDeps): Response {
  const { groups, dialect, refusals } = deps.world;
  if (refusals.has('groups')) return sendRefusal(c, deps);
  const parent = wholeOf(c.req.query('parent_oid'), 'parent_oid', 0);
  const start = dialect.start === 'ignored' ? 0 : wholeOf(c.req.query('start'), 'start', 0);
  const limit = Math.min(wholeOf(c.req.query('limit'), 'limit', DEFAULT_LIMIT), deps.pages.cap ?? Infinity);
  const children = groups.filter((group) => group.parentOid === parent).slice(start, start + limit);
  const rows = cutList(c, children).map((group) => wireGroup(group, dialect));
  return sendJson(c, deps, JSON.stringify(rows));
}

/** A user by oid, login or e-mail. */
export function getUser(c: ApiContext, deps: ApiDeps): Response {
  const user = deps.world.directory.byAnyKey(c.req.param('key') ?? '');
  if (user === undefined) return sendUnknownUser(c, deps);
  if (deps.world.refusals.has('user', user.oid)) return sendRefusal(c, deps);
  return sendJson(c, deps, JSON.stringify(wireUser(user, deps.world.dialect)));
}
