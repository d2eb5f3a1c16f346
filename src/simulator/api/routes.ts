/** The shop's API under `/adm/api`: what every request goes through, and the routes. */
import { setTimeout as sleep } from 'node:timers/promises';

import { Hono, type MiddlewareHandler } from 'hono';

import { type ApiDeps, LOGIN, sendError, sendJson } from './answer.ts';
import { getGroups, getUser, handleLogin } from './directory-routes.ts';
import { type ApiContext, type ApiEnv, applyFault, HTML_PAGE } from './simulated-faults.ts';
import { BadQuery } from './order-query.ts';
import { getContent, getOrders } from './order-routes.ts';
import { findRoute } from './request-log.ts';

export function makeApi(deps: ApiDeps): Hono<ApiEnv> {
  const api = new Hono<ApiEnv>();
  api.use(async (c, next) => {
    const { method, path } = c.req;
    const request = { route: findRoute(path), method, path, query: c.req.query() };
    c.env.outgoing.once('close', () => deps.requests.end());
    await deps.requests.begin(request);
    const fault = deps.faults.take(request.route);
    const answer = fault === undefined ? await next() : await applyFault(c, fault, next);
    if (deps.latencyMs > 0) await sleep(deps.latencyMs);
    return answer ?? undefined;
  });
  if (deps.between !== undefined) api.use(deps.between);
  api.use(authenticate(deps));
  const login = handleLogin(deps);
  for (const path of ['/auth', '/auth/email', '/auth/login', '/auth/user_id']) api.post(path, login);
  api.get('/groups', (c) => getGroups(c, deps));
  api.get('/users/:key', (c) => getUser(c, deps));
  api.get('/orders', (c) => getOrders(c, deps));
  api.get('/orders/:id', (c) => getContent(c, deps));
  api.all('*', (c) => sendNotFound(c, deps));
  api.onError((error, c) => {
    if (error instanceof BadQuery) return sendError(c, deps, 400, error.message);
    return sendError(c, deps, 500, 'the simulator failed');
  });
  return api;
}

/** Checks the credentials first, then the content type that every request has to carry. */
function authenticate(deps: ApiDeps): MiddlewareHandler<ApiEnv> {
  const expected = `Basic ${Buffer.from(`${LOGIN}:${deps.apiKey}`).toString('base64')}`;
  return async (c, next) => {
    if (c.req.header('Authorization') !== expected) {
      if (deps.shop.dialect.wrongKey === 'html-200') return c.html(HTML_PAGE);
      c.header('WWW-Authenticate', 'Basic realm="shop"');
      return sendJson(c, deps, JSON.stringify({ message: 'wrong login or key' }), 401);
    }
    const type = c.req.header('Content-Type')?.split(';')[0]?.trim().toLowerCase();
    if (type === 'application/json') return next();
    return sendError(c, deps, 415, 'send the header Content-Type: application/json');
  };
}

function sendNotFound(c: ApiContext, deps: ApiDeps): Response {
  const route = findRoute(c.req.path);
  if (route !== 'other' && (c.req.method !== 'GET' || route === 'auth')) {
    return sendError(c, deps, 405, `${c.req.method} is not simulated here`);
  }
  return sendError(c, deps, 404, 'no such address');
}
