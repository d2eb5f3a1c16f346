import { expect, test } from 'vitest';

import { TerminalError, TransientError } from '../../src/model/errors.ts';
import { AvailabilityGate } from '../../src/http/availability-gate.ts';
import { DEFAULTS } from '../../src/http/http-options.ts';
import { rejection } from '../shop-api/api-of.ts';
import { apiOf } from '../shop-api/api-of.ts';
import { ONE_ORDER, startScriptedShop } from '../shop-api/scripted-shop.ts';

const CLOCK = {
  nowMs: () => 0,
  sleep: () => Promise.reject(new Error('nobody was to wait')),
};

function gateWith(probe: () => Promise<unknown>): AvailabilityGate {
  return new AvailabilityGate({
    clock: CLOCK,
    circuit: DEFAULTS.circuit,
    maxRetryAfterMs: 60_000,
    maxOutageMs: 900_000,
    probe,
  });
}

function takeDown(gate: AvailabilityGate): void {
  gate.record(0, 'working');
  failFive(gate, 0);
}

/** Five requests fail that began when so many outages were over. */
function failFive(gate: AvailabilityGate, settled: number): void {
  for (let failed = 0; failed < 5; failed++) gate.record(settled, new TransientError('HTTP 500'));
}

test('a refused probe counts as a success: the shop is up, and those who wait are refused themselves', async () => {
  const gate = gateWith(() => Promise.reject(new TerminalError('refused', { status: 401 })));
  takeDown(gate);
  expect(gate.circuit).toBe('open');
  await gate.pass(undefined);
  expect(gate).toMatchObject({ circuit: 'closed', isShut: false, outages: 0 });
});

test('a probe that fails keeps the circuit open', async () => {
  const gate = gateWith(() => Promise.reject(new TransientError('HTTP 500')));
  takeDown(gate);
  expect((await rejection(gate.pass(undefined))).message).toBe('nobody was to wait');
  expect(gate).toMatchObject({ circuit: 'open', outages: 1 });
});

test('what was sent before an outage was over, and fails later, is no outage', async () => {
  const gate = gateWith(() => Promise.resolve());
  takeDown(gate);
  await gate.pass(undefined);
  failFive(gate, 0);
  expect(gate.circuit).toBe('closed');
  failFive(gate, 1);
  expect(gate.circuit).toBe('open');
});

test('a refused record shuts the gate until a list is served; then further refusals are trusted for a while', async () => {
  let probes = 0;
  const gate = gateWith(async () => void probes++);
  gate.record(1, 'refusing');
  expect(gate.isShut).toBe(true);
  await Promise.all([gate.pass(undefined), gate.pass(undefined), gate.refusalChecked(undefined)]);
  expect(probes).toBe(1);
  for (let refusal = 1; refusal <= 25; refusal++) gate.record(1, 'refusing');
  expect(gate.isShut).toBe(false);
  gate.record(1, 'refusing');
  expect(gate.isShut).toBe(true);
  await gate.pass(undefined);
});

test('an outage that is over vouches for no login', async () => {
  const gate = gateWith(() => Promise.resolve());
  takeDown(gate);
  await gate.pass(undefined);
  gate.record(1, 'refusing');
  expect(gate.isShut).toBe(true);
});

test('a revoked login is not tried again by requests that began before, but is by later ones', async () => {
  let isRevoked = true;
  await using shop = await startScriptedShop((response, _index, { url }) => {
    if (isRevoked) return void response.writeHead(401).end();
    return void response.end(url.includes('?') ? ONE_ORDER : '{"ordercontent":[],"success":1}');
  });
  const api = apiOf(shop, { maxConcurrency: 2 });
  const asked = Array.from({ length: 40 }, (_, index) => rejection(api.orderContent(String(index + 1))));
  for (const error of await Promise.all(asked)) {
    expect(error).toBeInstanceOf(TerminalError);
    expect(error).toMatchObject({ status: 401 });
  }
  expect(shop.received.length).toBeLessThanOrEqual(3);
  isRevoked = false;
  expect(await api.orderContent('7')).toMatchObject({ kind: 'found' });
});

test('of two pauses that the shop requests the longer one holds, for an hour at most', async () => {
  const gate = gateWith(() => Promise.resolve());
  for (const retryAfterMs of [7_200_000, 90_000])
    gate.record(1, new TransientError('HTTP 429', { retryAfterMs }));
  expect((await rejection(gate.pass(undefined))).message).toBe('the shop requested a pause of 3600 s');
});
