import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import { expect, test } from 'vitest';

import { type Alert, alertAfter, sendAlert } from '../../src/worker/alerts.ts';
import type { ShopHealth } from '../../src/warehouse/reports/shop-health.ts';

const at = (text: string) => Temporal.Instant.from(`2026-03-01T${text}:00Z`);
const healthy = (failures: number, fresh: string | undefined): ShopHealth => ({
  failures,
  lastFailedAt: undefined,
  lastError: undefined,
  freshAt: fresh === undefined ? undefined : at(fresh),
});

type Step = readonly [time: string, failures: number, fresh: string | undefined];

/** The alerts of a row of sweeps, each begun in the state in which the last one left the shop. */
function alertsOf(steps: readonly Step[]): readonly (Alert['kind'] | undefined)[] {
  return steps.slice(1).map(([time, failures, fresh], index) => {
    const [began = '', failuresBefore = 0, freshBefore] = steps[index] ?? [];
    const before = healthy(failuresBefore, freshBefore);
    return alertAfter('north', before, at(began), healthy(failures, fresh), at(time))?.kind;
  });
}

test('a failing shop is reported once, and once more when it recovers', () => {
  const sweeps: Step[] = [
    ['10:00', 0, '10:00'],
    ['10:05', 1, '10:00'],
    ['10:10', 2, '10:00'],
    ['10:15', 3, '10:00'],
    ['10:20', 4, '10:00'],
    ['10:25', 0, '10:25'],
    ['10:30', 0, '10:30'],
  ];
  expect(alertsOf(sweeps)).toEqual([undefined, undefined, 'failed', undefined, 'recovered', undefined]);
});

test('a shop whose newest days cannot be verified for an hour is reported once, though no sweep fails', () => {
  const sweeps: Step[] = [
    ['10:00', 0, '10:00'],
    ['10:55', 0, '10:00'],
    ['11:05', 0, '10:00'],
    ['11:15', 0, '10:00'],
    ['11:20', 0, '11:20'],
  ];
  expect(alertsOf(sweeps)).toEqual([undefined, 'stale', undefined, 'recovered']);
});

test('a shop in its first load is not stale', () => {
  expect(
    alertsOf([
      ['10:00', 0, undefined],
      ['14:00', 0, undefined],
    ]),
  ).toEqual([undefined]);
});

test('the webhook gets the alert as JSON; if it fails, a warning without its address is logged', async () => {
  const got: { body: unknown; status: number }[] = [];
  const statuses = [200, 404];
  const server = createServer((request, response) => {
    const status = statuses.shift() ?? 404;
    void text(request).then((body) => {
      got.push({ body: JSON.parse(body), status });
      response.writeHead(status).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const logged: string[] = [];
  const log = (data: object, message: string) => void logged.push(`${message} ${JSON.stringify(data)}`);
  const logger = { debug: log, info: log, warn: log };
  const alert: Alert = { shop: 'north', kind: 'failed', text: 'order-sync: the last 3 sweeps failed' };
  const url = `http://127.0.0.1:${port}/hook-secret`;
  await sendAlert(url, alert, logger);
  expect(got).toEqual([{ body: alert, status: 200 }]);
  expect(logged).toHaveLength(1);
  await sendAlert(url, alert, logger);
  server.close();
  await sendAlert('http://127.0.0.1:1/hook-secret', alert, logger);
  expect(logged.filter((line) => line.startsWith('alert webhook failed'))).toHaveLength(2);
  expect(logged.join()).not.toContain('hook-secret');
});
