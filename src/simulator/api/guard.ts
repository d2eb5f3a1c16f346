/** Who may ask, and how: credentials first, then the content type that every request has to carry. */
import type { MiddlewareHandler } from 'hono';

import { type ApiDeps, type ApiEnv, HTML_PAGE, sendError, sendJson } from './answer.ts';

export function guard(deps: ApiDeps): MiddlewareHandler<ApiEnv> {
  const expected = `Basic ${Buffer.from(`${deps.login}:${deps.apiKey}`).toString('base64')}`;
  return async (c, next) => {
    if (c.req.header('Authorization') !== expected) {
      if (deps.world.dialect.wrongKey === 'html-200') return c.html(HTML_PAGE);
      c.header('WWW-Authenticate', 'Basic realm="shop"');
      return sendJson(c, deps, JSON.stringify({ message: 'wrong login or key' }), 401);
    }
    const type = c.req.header('Content-Type')?.split(';')[0]?.trim().toLowerCase();
    if (type !== 'application/json') {
      return sendError(c, deps, 415, 'send the header Content-Type: application/json');
    }
    return next();
  };
}
