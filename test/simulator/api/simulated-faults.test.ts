import { afterEach, beforeEach, expect, test } from 'vitest';

import type { FaultName } from '../../../src/simulator/api/simulated-faults.ts';
import { type Simulator, startSimulator } from '../../../src/simulator/server.ts';
import { get, HEADERS, idsOf, NOW } from '../client.ts';
import { until } from '../../support/until.ts';

let sim: Simulator;
beforeEach(async () => {
  sim = await startSimulator({ orders: 100, days: 10, now: NOW });
});
afterEach(() => sim.close());

test.each<[FaultName, number, string]>([
  ['http-500', 500, 'application/json'],
  ['http-502', 502, 'application/json'],
  ['http-503-html', 503, 'text/html'],
  ['http-429', 429, 'application/json'],
  ['http-401', 401, 'application/json'],
  ['html-200', 200, 'text/html'],
])('%s answers with %i and %s, once', async (name, status, type) => {
  sim.faults.failNext(1, name);
  const answer = await get(sim, '/orders');
  expect(answer.status).toBe(status);
  expect(answer.headers.get('Content-Type')).toContain(type);
  expect(idsOf(await get(sim, '/orders'))).toHaveLength(100);
});

test('answers with 200 may hold a message, nothing, or an empty array', async () => {
  sim.faults.failNext(1, 'message-200');
  sim.faults.failNext(1, 'empty-200');
  sim.faults.failNext(1, 'empty-array');
  const answers = [await get(sim, '/orders'), await get(sim, '/orders'), await get(sim, '/orders')];
  expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200]);
  expect(answers[0]?.json).toEqual({ message: expect.any(String) as string });
  expect(answers[1]?.text).toBe('');
  expect(answers[2]?.text).toBe('[]');
});

test('an overloaded server sends Retry-After', async () => {
  sim.faults.failNext(1, 'http-429', { retryAfter: 7 });
  sim.faults.failNext(1, 'http-503-html', { retryAfter: 'Wed, 21 Oct 2026 07:28:00 GMT' });
  expect((await get(sim, '/orders')).headers.get('Retry-After')).toBe('7');
  expect((await get(sim, '/orders')).headers.get('Retry-After')).toBe('Wed, 21 Oct 2026 07:28:00 GMT');
});

test('a connection breaks before the response, or in the middle of it', async () => {
  sim.faults.failNext(1, 'reset');
  await expect(fetch(`${sim.url}/adm/api/orders`)).rejects.toThrow('fetch failed');
  sim.faults.failNext(1, 'reset-body');
  const response = await fetch(`${sim.url}/adm/api/orders`, { headers: HEADERS });
  await expect(response.text()).rejects.toThrow('terminated');
  expect((await get(sim, '/orders')).status).toBe(200);
});

test('a response stalls after the headers, or never comes', async () => {
  const ask = (signal: AbortSignal) => fetch(`${sim.url}/adm/api/orders`, { headers: HEADERS, signal });
  sim.faults.failNext(1, 'stall-body');
  const waiting = new AbortController();
  const response = await ask(waiting.signal);
  expect(response.status).toBe(200);
  setTimeout(() => waiting.abort(new Error('waited long enough')), 300);
  await expect(response.text()).rejects.toThrow('waited long enough');
  sim.faults.failNext(1, 'hang');
  await expect(ask(AbortSignal.timeout(300))).rejects.toThrow(/timeout/i);
});

test('faults apply to their route and count, and can be cancelled', async () => {
  sim.faults.failNext(2, 'http-500', { route: 'groups' });
  expect((await get(sim, '/orders')).status).toBe(200);
  expect((await get(sim, '/groups')).status).toBe(500);
  expect(sim.faults.pending()).toBe(1);
  sim.faults.clear();
  expect((await get(sim, '/groups')).status).toBe(200);
});

test('closing ends hanging responses', async () => {
  sim.faults.failNext(1, 'hang');
  const hanging = fetch(`${sim.url}/adm/api/orders`).catch((error: unknown) => error);
  await until('the request is received', () => sim.requests.count() > 0);
  await sim.close();
  expect(await hanging).toBeInstanceOf(Error);
});
