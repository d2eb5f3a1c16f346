/** The shop's API under `/adm/api`: what every request goes through, and the routes. */
import { setTimeout as sleep } from 'node:timers/promises';

import { Hono } from 'hono';

import { type ApiContext, type ApiDeps, type ApiEnv, sendError } from './answer.ts';
import { loginLinks } from './auth-routes.ts';
import { getGroups, getUser } from './directory-routes.ts';
import { meetFault } from './fault-answers.ts';
import { guard } from './guard.ts';
import { BadQuery } from './order-query.ts';
import { orderRoutes } from './order-routes.ts';
import { routeOf, type SimRequest } from './request-log.ts';

export function makeApi(deps: ApiDeps): Hono<ApiEnv> {
  const api = new Hono<ApiEnv>();
  api.use(async (c, next) => {
    const request = describe(c);
    c.env.outgoing.once('close', () => deps.requests.end());
    await deps.requests.begin(request);
    const fault = deps.faults.take(request.route);
    const answer = fault === undefined ? await next() : await meetFault(c, fault, next);
    if (deps.latencyMs > 0) await sleep(deps.latencyMs);
    return answer ?? undefined;
  });
  api.use(guard(deps));
  const login = loginLinks(deps);
  for (const path of ['/auth', '/auth/email', '/auth/login', '/auth/user_id']) api.post(path, login);
  const orders = orderRoutes(deps);
  api.get('/groups', (c) => getGroups(c, deps));
  api.get('/users/:key', (c) => getUser(c, deps));
  api.get('/orders', orders.list);
  api.get('/orders/:id', orders.content);
  api.all('*', (c) => refuse(c, deps));
  api.onError((error, c) => {
    if (error instanceof BadQuery) return sendError(c, deps, 400, error.message);
    return sendError(c, deps, 500, 'the simulator failed');
  });
  return api;
}

function describe(c: ApiContext): SimRequest {
  const { method, path } = c.req;
  return { route: routeOf(path), method, path, query: c.req.query() };
}

function refuse(c: ApiContext, deps: ApiDeps): Response {
  const route = routeOf(c.req.path);
  const isKnown = route !== 'other';
  if (isKnown && (c.req.method !== 'GET' || route === 'auth')) {
    return sendError(c, deps, 405, `${c.req.method} is not simulated here`);
  }
  return sendError(c, deps, 404, 'no such address');
}
