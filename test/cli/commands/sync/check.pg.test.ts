import { setTimeout as sleep } from 'node:timers/promises';

import { beforeAll, expect, test } from 'vitest';

import type { Simulator } from '../../../../src/simulator/server.ts';
import { checkDocument } from '../../../support/documents/sync.ts';
import { runInProcess } from '../../../support/run-in-process.ts';
import { fileShop } from '../../../support/shop-of-commands.ts';

const opened = fileShop({ orders: 60, days: 10 });
let simulator: Simulator;
beforeAll(() => {
  simulator = opened.simulator;
  // Of an older day, whatever the statuses are by chance: where no order is without one, none is counted.
  const [oldest] = simulator.shop.orders();
  simulator.shop.editOrder(oldest?.orderId ?? 0, { status: '' });
});

const check = (options: readonly string[] = []) => opened.run(['check', ...options]);

test('check of fewer orders than a page has shows so in text and JSON', async () => {
  expect(JSON.parse((await check(['--json'])).stdout)).toMatchObject({ page: { limit: 500, rows: 0 } });
  expect((await check()).stdout).toMatch(/Page +no full page was seen\n/);
});

test('check says what to do next', async () => {
  expect((await check()).stdout).toMatch(/^Load: .*; order-sync backfill --shop default loads them$/m);
  const backfill = await opened.run('backfill');
  expect(backfill, backfill.stderr).toMatchObject({ code: 0 });
  expect(backfill.stderr).toMatch(
    /^Shop default: 60 orders to load by the shop's own count: about .* a second\. Ctrl-C is safe/m,
  );
  expect(backfill.stderr).not.toContain('load estimated');
  const again = await opened.run('backfill', { FRESHNESS: '*:7d' });
  expect(again).toMatchObject({ code: 0, stdout: 'Shop default: nothing was due.\n' });
  expect((await check()).stdout).toMatch(
    /^Load: .* none are left .*; order-sync worker keeps them up to date$/m,
  );
});

test('check reports suspended counts, and status how many orders were counted', async () => {
  simulator.shop.setDialect({ emptyStatus: 'ignored' });
  // Counted anew each second; a facet that is wrong twice is suspended.
  for (let count = 0; count < 2; count++) {
    await opened.run('sync', { COUNT_EVERY: '1s' });
    await sleep(1_000);
  }
  const reason =
    /The count of status '' is suspended until [-0-9: ]+ UTC: its count led to \d{4}-\d\d-\d\d, where nothing differs/;
  const { stdout } = await check();
  expect(stdout).toMatch(reason);
  expect(JSON.parse((await check(['--json'])).stdout)).toMatchObject({
    suspended_counts: [{ facet: "status ''" }],
  });
  const status = await opened.run('status');
  expect(status.stdout).toMatch(
    /Shop's counts +compared \d+ s ago: \d+ orders up to \d{4}-\d\d-\d\d, counted by \d+ filters; 1 filter suspended: status ''/,
  );
  simulator.shop.setDialect({ emptyStatus: 'obeyed' });
});

test('check of an address says whether a shop with this API is there, without a login', async () => {
  const look = (url: string) => runInProcess(['check', url], {});
  expect(await look(simulator.url)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('looks like such a shop: its API asks for a login'),
  });
  const { stdout } = await runInProcess(['check', simulator.url, '--json'], {});
  expect(checkDocument.parse(JSON.parse(stdout))).toMatchObject({
    address: simulator.url,
    answer: 'refuses',
  });
  for (const wrong of ['http://', 'ftp://shop.example', 'https://a:b@shop.example'])
    expect(await look(wrong), wrong).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^The argument must (not contain credentials|be an address)/),
    });
  const { port } = new URL(simulator.url);
  expect(await look(`https://127.0.0.1:${port}`)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('check whether its address should begin with http://'),
  });
});
