import { setImmediate } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { TerminalError, TransientError } from '../../src/model/errors.ts';
import { AvailabilityGate } from '../../src/http/availability-gate.ts';
import { apiOf, rejection } from '../shop-api/api-of.ts';
import { ONE_ORDER, startScriptedShop } from '../shop-api/scripted-shop.ts';

const POLICY = { failures: 2, firstProbeMs: 100, maxProbeMs: 1000 };

/** A gate whose time and probes a test drives. */
function startGate() {
  let nowMs = 0;
  const probes: PromiseWithResolvers<unknown>[] = [];
  const gate = new AvailabilityGate({
    // Nobody waits for a time: whoever would have to gives up.
    clock: { nowMs: () => nowMs, sleep: () => Promise.reject(new Error('too early')) },
    circuit: POLICY,
    maxRetryAfterMs: 60_000,
    maxOutageMs: Infinity,
    probe() {
      probes.push(Promise.withResolvers());
      return probes.at(-1)?.promise ?? Promise.resolve();
    },
  });
  const failure = new TransientError('HTTP 500');
  const act = {
    works: () => gate.record('working', gate.outages),
    fails: () => gate.record(failure, gate.outages),
    /** A failure of a request that was sent before the circuit opened. */
    failsLate: () => gate.record(failure, gate.outages - 1),
    refuses: () => gate.record('refusing', gate.outages),
    asks: () => void gate.pass(undefined).catch(() => undefined),
    answers: () => probes.at(-1)?.resolve(undefined),
    down: () => probes.at(-1)?.reject(failure),
    denies: () => probes.at(-1)?.reject(new TerminalError('refused', { status: 401 })),
    aborts: () => probes.at(-1)?.reject(new Error('not wanted')),
    later: () => void (nowMs += 1000),
  };
  const run = async (steps: string) => {
    for (const step of steps.split(' ')) {
      act[step as keyof typeof act]();
      await setImmediate();
    }
  };
  return { gate, probes, run };
}

const DOWN = 'works fails fails';

test.each<[string, string, 'closed' | 'open' | 'half-open', isShut: boolean, probes: number]>([
  ['a shop that never answered is not down', 'fails fails fails fails', 'closed', false, 0],
  ['a failure is not enough', 'works fails', 'closed', false, 0],
  ['a success begins the count anew', 'works fails works fails', 'closed', false, 0],
  ['enough failures open', DOWN, 'open', true, 0],
  ['open, a success of an earlier request', `${DOWN} works`, 'open', true, 0],
  ['open, a failure of an earlier request', `${DOWN} fails`, 'open', true, 0],
  ['open, somebody waits', `${DOWN} asks`, 'half-open', true, 1],
  ['probing, a second one waits', `${DOWN} asks asks`, 'half-open', true, 1],
  ['probing, a success of an earlier request', `${DOWN} asks works`, 'half-open', true, 1],
  ['probing, it succeeded', `${DOWN} asks answers`, 'closed', false, 1],
  ['probing, it was refused', `${DOWN} asks denies`, 'closed', false, 1],
  ['probing, it failed', `${DOWN} asks down`, 'open', true, 1],
  ['a probe failed, and the next one is too early', `${DOWN} asks down asks`, 'open', true, 1],
  ['a probe failed, and the next one is due', `${DOWN} asks down later asks`, 'half-open', true, 2],
  [
    'a probe failed, and failures of earlier requests bring the next one no nearer',
    `${DOWN} asks down fails fails asks`,
    'open',
    true,
    1,
  ],
  ['probing, it was aborted', `${DOWN} asks aborts`, 'open', true, 1],
  ['a probe was aborted, and the next one is due at once', `${DOWN} asks aborts asks`, 'half-open', true, 2],
  [
    'a failure of a settled outage',
    `${DOWN} asks down later asks answers failsLate failsLate`,
    'closed',
    false,
    2,
  ],
  ['after an outage, a failure is not enough', `${DOWN} asks answers fails`, 'closed', false, 1],
  ['the next outage', `${DOWN} asks answers fails fails`, 'open', true, 1],
  ['a record is refused', 'works refuses', 'open', true, 0],
  ['the list was served', 'refuses asks answers', 'closed', false, 1],
  ['trusting, a record is refused', 'refuses asks answers refuses', 'closed', false, 1],
  ['trusting, 25 records are refused', `refuses asks answers${' refuses'.repeat(25)}`, 'closed', false, 1],
  [
    'no longer trusting, a record is refused',
    `refuses asks answers${' refuses'.repeat(26)}`,
    'open',
    true,
    1,
  ],
  ['the list was refused', 'refuses asks denies', 'closed', false, 1],
  ['after that, a record is refused', 'refuses asks denies refuses', 'open', true, 1],
])('%s', async (_name, steps, circuit, isShut, probes) => {
  const driven = startGate();
  await driven.run(steps);
  expect([driven.gate.circuit, driven.gate.isShut, driven.probes.length]).toEqual([circuit, isShut, probes]);
});

test('a refused list stops requests that wait for it, but not later ones', async () => {
  const { gate, run } = startGate();
  await run('refuses');
  const waiting = [1, 2, 3].map(() => rejection(gate.pass(undefined)));
  await run('denies');
  for (const error of await Promise.all(waiting))
    expect(error).toMatchObject({ message: 'refused', status: 401, scope: 'shop' });
  await gate.pass(undefined);
});

test('requests that began before the login was revoked do not try it again, but later ones do', async () => {
  let isRevoked = true;
  await using shop = await startScriptedShop((response, _index, { url }) => {
    if (isRevoked) return void response.writeHead(401).end();
    return void response.end(url.includes('?') ? ONE_ORDER : '{"ordercontent":[],"success":1}');
  });
  const api = apiOf(shop, { maxConcurrency: 2 });
  const asked = Array.from({ length: 40 }, (_, index) => rejection(api.orderContent(String(index + 1))));
  for (const error of await Promise.all(asked)) {
    expect(error).toMatchObject({ name: 'TerminalError', status: 401, scope: 'shop' });
  }
  expect(shop.received.length).toBeLessThanOrEqual(3);
  isRevoked = false;
  expect(await api.orderContent('7')).toMatchObject({ kind: 'found' });
});
