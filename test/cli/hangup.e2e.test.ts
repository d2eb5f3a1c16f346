import { expect, test } from 'vitest';

import { startCommand } from '../support/command-line.ts';
import { openShop } from '../support/shop-of-commands.ts';
import { until, within } from '../support/until.ts';

test('a command whose terminal is closed stops like one that is interrupted, and says so in its run', async () => {
  await using shop = await openShop({ orders: 120, days: 20, latencyMs: 20 });
  const running = startCommand(['backfill'], shop.env);
  await until('20 orders are asked for', () => shop.simulator.requests.count('order') >= 20);
  // The shell and the system may both tell.
  running.process.kill('SIGHUP');
  running.process.kill('SIGHUP');
  const outcome = await within('the command ends', running.outcome);
  expect(outcome, outcome.stderr).toMatchObject({ code: 130, stderr: expect.stringMatching(/Interrupted/) });
  const { rows } = await shop.query('SELECT status FROM tested.runs');
  expect(rows).toEqual([{ status: 'interrupted' }]);
});
