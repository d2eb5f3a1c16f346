/** What a shop answers when there is no such order or user, or when it may not be read. */
import { type ApiContext, type ApiDeps, HTML_PAGE, sendError, sendJson } from './answer.ts';
import type { Dialect } from '../shop/dialect.ts';
import { wireValues } from './wire-values.ts';

/** The order or user does not exist. */
export function sendUnknown(c: ApiContext, deps: ApiDeps, kind: 'order' | 'user'): Response {
  const { dialect } = deps.world;
  const send = (fields: object) => sendJson(c, deps, JSON.stringify(fields));
  const { whole } = wireValues(dialect);
  const message = kind === 'order' ? 'Order not found' : 'User not found';
  const ordercontent: readonly never[] = [];
  const content = dialect.content === 'nested' ? { content: { ordercontent } } : { ordercontent };
  const answers: Readonly<Record<Dialect['unknownOrder' | 'unknownUser'], () => Response>> = {
    '404': () => sendError(c, deps, 404, `no such ${kind}`),
    '400': () => sendError(c, deps, 400, `no such ${kind}`),
    'success-0': () => send({ success: whole(0) }),
    'success-0-message': () => send({ message, success: whole(0) }),
    'empty-content': () => send({ ...content, success: whole(1) }),
    empty: () => send([]),
    html: () => c.html(HTML_PAGE),
  };
  return answers[kind === 'order' ? dialect.unknownOrder : dialect.unknownUser]();
}

/** The record exists, but may not be read, unlike the others of its kind. */
export function sendRefusal(c: ApiContext, deps: ApiDeps): Response {
  return sendError(c, deps, 403, 'access denied');
}
