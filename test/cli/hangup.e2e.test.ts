import { expect, test } from 'vitest';

import { startSimulator } from '../../src/simulator/server.ts';
import { settingsFor, startCommand } from '../support/command-line.ts';
import { withClient } from '../support/database-clients.ts';
import { freshDatabase } from '../support/database.ts';
import { until, within } from '../support/until.ts';

test('a command whose terminal is closed stops like one that is interrupted, and says so in its run', async () => {
  await using simulator = await startSimulator({ orders: 120, days: 20, latencyMs: 20 });
  await using database = await freshDatabase();
  const running = startCommand(['backfill'], settingsFor(simulator, database.url));
  await until('20 orders are asked for', () => simulator.requests.count('order') >= 20);
  // The shell and the system may both tell.
  running.process.kill('SIGHUP');
  running.process.kill('SIGHUP');
  const outcome = await within('the command ends', running.outcome);
  expect(outcome, outcome.stderr).toMatchObject({ code: 130, stderr: expect.stringMatching(/Interrupted/) });
  const { rows } = await withClient(database.url, (client) => client.query('SELECT status FROM tested.runs'));
  expect(rows).toEqual([{ status: 'interrupted' }]);
});
