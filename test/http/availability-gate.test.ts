import { expect, test } from 'vitest';

import { TerminalError, TransientError } from '../../src/errors.ts';
import { DEFAULT_CIRCUIT } from '../../src/http/circuit-breaker.ts';
import { Gate } from '../../src/http/availability-gate.ts';
import { rejection } from '../shop-api/api-of.ts';
import { apiOf } from '../shop-api/api-of.ts';
import { ONE_ORDER, startScriptedShop } from '../shop-api/scripted-shop.ts';

const CLOCK = {
  nowMs: () => 0,
  sleep: () => Promise.reject(new Error('nobody was to wait')),
};

function gateWith(probe: () => Promise<unknown>): Gate {
  return new Gate({
    clock: CLOCK,
    circuit: DEFAULT_CIRCUIT,
    maxRetryAfterMs: 60_000,
    maxOutageMs: 900_000,
    probe,
    newest: () => 9,
  });
}

function away(gate: Gate): void {
  gate.answered();
  for (let number = 1; number <= 5; number++) gate.failed(number, new TransientError('HTTP 500'));
}

test('a probe that is refused counts as an answer: the shop is there, and those who wait are refused themselves', async () => {
  const gate = gateWith(() => Promise.reject(new TerminalError('refused', { status: 401 })));
  away(gate);
  expect(gate.circuit).toBe('open');
  await gate.pass(undefined);
  expect(gate).toMatchObject({ circuit: 'closed', isShut: false, outages: 0 });
});

test('a probe that fails is none', async () => {
  const gate = gateWith(() => Promise.reject(new TransientError('HTTP 500')));
  away(gate);
  expect((await rejection(gate.pass(undefined))).message).toBe('nobody was to wait');
  expect(gate).toMatchObject({ circuit: 'open', outages: 1 });
});

test('a record that is refused shuts the gate until a list is answered; then others are taken at their word for a while', async () => {
  let probes = 0;
  const gate = gateWith(async () => void probes++);
  gate.recordRefused();
  expect(gate.isShut).toBe(true);
  await Promise.all([gate.pass(undefined), gate.pass(undefined), gate.confirmed(undefined)]);
  expect(probes).toBe(1);
  for (let refusal = 1; refusal <= 25; refusal++) gate.recordRefused();
  expect(gate.isShut).toBe(false);
  gate.recordRefused();
  expect(gate.isShut).toBe(true);
  expect(() => gate.assertNotRefused(0)).not.toThrow();
});

test('a login that was revoked is not tried again by what was begun before, and is by what comes after', async () => {
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
