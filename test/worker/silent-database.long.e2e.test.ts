import { expect } from 'vitest';

import { startSimulator } from '../../src/simulator/server.ts';
import { settingsFor, startCommand } from '../support/command-line.ts';
import { freshDatabase } from '../support/database.ts';
import { openLab, untilEqual } from '../support/fleet-lab.ts';
import { longTest } from '../support/long-test.ts';
import { startSilentProxy } from '../support/silent-proxy.ts';
import { until, within } from '../support/until.ts';

const TWO_MINUTES_MS = 120_000;

longTest(
  'a worker whose connections to the database went silent is at work again within two minutes',
  async () => {
    await using lab = await openLab(await freshDatabase(), 1, { orders: 30, days: 5 }, { maxRps: 1_000 });
    await using proxy = await startSilentProxy(lab.databaseUrl);
    const worker = lab.startWorker({ DATABASE_URL: proxy.url, DATABASE_CONNECTIONS: '5' });
    const url = await worker.url;
    await untilEqual(lab);
    proxy.silence();
    lab.shops[0]?.simulator.shop.insertOrder();
    const isReady = async () => (await fetch(`${url}/readyz`)).status === 200;
    await Promise.all([
      untilEqual(lab, TWO_MINUTES_MS),
      until('it is ready', isReady, TWO_MINUTES_MS, 1_000),
    ]);
    // One truth: what synced an order answers, and keeps to it.
    expect(await isReady()).toBe(true);
  },
);

longTest(
  'a backfill whose connections to the database went silent ends within two minutes, and says why',
  async () => {
    await using fresh = await freshDatabase();
    await using simulator = await startSimulator({ orders: 3_000, days: 60 });
    await using proxy = await startSilentProxy(fresh.url);
    const settings = { ...settingsFor(simulator, proxy.url), SHOP_MAX_RPS: '50' };
    const backfill = startCommand(['backfill'], settings);
    await until('it loads', () => simulator.requests.count() > 200);
    proxy.silence();
    const { code, stderr } = await within('it ends', backfill.outcome, TWO_MINUTES_MS);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('The database: ') });
    const again = await startCommand(['backfill'], settings).outcome;
    expect(again.code).toBe(0);
  },
);
