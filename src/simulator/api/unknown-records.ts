/** The words in which a shop says that there is no such order or user, or that it may not be seen. */
import { type ApiContext, type ApiDeps, HTML_PAGE, sendError, sendJson } from './answer.ts';
import type { Dialect } from './dialect.ts';
import { wireValues } from './wire-values.ts';

/** Answers with JSON, with this `success` in the dialect's form of numbers. */
function sendSuccess(c: ApiContext, deps: ApiDeps, success: 0 | 1, fields: object): Response {
  const { whole } = wireValues(deps.world.dialect);
  return sendJson(c, deps, JSON.stringify({ ...fields, success: whole(success) }));
}

/** The content of an order that does not exist. */
export function sendUnknownOrder(c: ApiContext, deps: ApiDeps): Response {
  const words: Readonly<Record<Dialect['unknownOrder'], () => Response>> = {
    '404': () => sendError(c, deps, 404, 'no such order'),
    '400': () => sendError(c, deps, 400, 'no such order'),
    'success-0': () => sendSuccess(c, deps, 0, {}),
    'success-0-message': () => sendSuccess(c, deps, 0, { message: 'Order not found' }),
    'empty-content': () => sendSuccess(c, deps, 1, emptyContent(deps)),
    html: () => c.html(HTML_PAGE),
  };
  return words[deps.world.dialect.unknownOrder]();
}

function emptyContent(deps: ApiDeps): object {
  return deps.world.dialect.content === 'nested' ? { content: { ordercontent: [] } } : { ordercontent: [] };
}

export function sendUnknownUser(c: ApiContext, deps: ApiDeps): Response {
  const words: Readonly<Record<Dialect['unknownUser'], () => Response>> = {
    '404': () => sendError(c, deps, 404, 'no such user'),
    '400': () => sendError(c, deps, 400, 'no such user'),
    'success-0-message': () => sendSuccess(c, deps, 0, { message: 'User not found' }),
    empty: () => sendJson(c, deps, '[]'),
    html: () => c.html(HTML_PAGE),
  };
  return words[deps.world.dialect.unknownUser]();
}

/** The record is there and may not be seen, unlike the others of its kind. */
export function sendRefusal(c: ApiContext, deps: ApiDeps): Response {
  return sendError(c, deps, 403, 'access denied');
}
