/** A shop whose alerts are told, as it goes from one state to another. */
import { expect, test as plain } from 'vitest';

import { type Simulator, startSimulator } from '../../../src/simulator/server.ts';
import type { SweepRequest } from '../../../src/sync/sweep/sweep-request.ts';
import { processAlerts } from '../../../src/worker/alerts/deliver-alerts.ts';
import type { AlertNote } from '../../../src/worker/alerts/webhook.ts';
import { answerBytes } from '../../support/fault-proxy-http.ts';
import { type Act, type FaultProxy, startFaultProxy } from '../../support/fault-proxy.ts';
import { quiet } from '../../support/impatient-shop.ts';
import {
  inWarehouse,
  type Opened,
  sweepOnce,
  type TestClock,
  testClock,
  withoutGroups,
} from '../../support/sweep.ts';

export const NOW = Temporal.Instant.from('2026-03-10T12:00:00Z');
const running = new AbortController().signal;

type Story = Opened & {
  readonly simulator: Simulator;
  /** Between the sweeps and the shop. */
  readonly proxy: FaultProxy;
  readonly clock: TestClock;
  /** A forced sweep; an error of the shop is part of the story. */
  readonly sweep: (request?: Partial<SweepRequest>) => Promise<void>;
  /** What a webhook is told now. */
  readonly told: () => Promise<readonly AlertNote[]>;
};

/** A shop of 60 orders that was loaded a minute ago, and of which nothing is to be told. */
export async function withLoadedShop(work: (story: Story) => Promise<void>): Promise<void> {
  await using simulator = await startSimulator({ orders: 60, days: 3, seed: 4, now: NOW });
  await using proxy = await startFaultProxy(simulator.url);
  await inWarehouse(async (opened) => {
    const clock = testClock(NOW);
    const means = { now: clock.now, through: withoutGroups };
    const sweep: Story['sweep'] = async (given) => {
      const request = { kind: 'backfill', force: true, ...given } as const;
      await sweepOnce({ ...simulator, url: proxy.url }, opened.db, request, {}, means).catch(() => undefined);
    };
    const notes: AlertNote[] = [];
    const told = async () => {
      const context = { db: opened.db, logger: quiet, now: clock.now, stopping: running, signal: running };
      await processAlerts({ ...context, webhook: async (note) => void notes.push(note) });
      clock.pass({ seconds: 30 });
      return notes.splice(0);
    };
    await sweep();
    clock.pass({ minutes: 1 });
    expect(await told()).toEqual([]);
    await work({ ...opened, simulator, proxy, clock, sweep, told });
    // Or those that were not told yet would be told to the next test.
    await opened.client.query('DELETE FROM tested.alerts');
  });
}

/** Tests that ask for such a shop by the name `story`. */
export const test = plain.extend<{ readonly story: Story }>({
  // oxlint-disable-next-line no-empty-pattern -- it is from there that the runner learns what a fixture needs
  story: async ({}, use) => withLoadedShop(use),
});

export const brief = ({ cause, event }: AlertNote) => `${cause} ${event}`;

/** Answers of the list, with something else in their place. */
export const rewritten =
  (change: (text: string) => string): Act =>
  async ({ socket, answer }) => {
    const { body, ...rest } = await answer();
    const changed = Buffer.from(change(body.toString()));
    socket.write(answerBytes({ ...rest, body: changed }));
  };
