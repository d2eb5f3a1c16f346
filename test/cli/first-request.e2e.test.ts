/** The first request of the first load of an empty database: it does not wait for the tables. */
import { randomBytes } from 'node:crypto';

import type { Client } from 'pg';
import { expect, test } from 'vitest';

import { type Simulator, startSimulator } from '../../src/simulator/server.ts';
import { settingsFor } from '../support/command-line.ts';
import { withClient } from '../support/database-clients.ts';
import { jsonLines } from '../support/json-lines.ts';
import { watchLists } from '../support/list-requests.ts';
import { provided } from '../support/provided.ts';
import { recreateDatabase } from '../support/recreate-database.ts';
import { type InProcess, runInProcess } from '../support/run-in-process.ts';
import { until } from '../support/until.ts';

/** A shop, an empty database, and the settings of both. */
async function openNew() {
  await using opening = new AsyncDisposableStack();
  const simulator = opening.use(await startSimulator({ orders: 20, days: 4, seed: 9 }));
  const { serverUrl, prefix } = provided('testDatabases');
  const url = await recreateDatabase(serverUrl, `${prefix}_first_${randomBytes(6).toString('hex')}`);
  const opened = opening.move();
  return {
    simulator,
    url,
    env: settingsFor(simulator, url),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Runs a command that cannot create its tables until the first request has come, and then goes on with `end`. */
async function runHeldBack(
  { simulator, url, env }: { simulator: Simulator; url: string; env: Readonly<Record<string, string>> },
  args: readonly string[],
  end: (client: Client) => Promise<unknown>,
): Promise<InProcess> {
  return withClient(url, async (client) => {
    // Others wait to see whether it will be there.
    await client.query('BEGIN; CREATE SCHEMA core');
    const running = runInProcess(args, env);
    try {
      await until('the first request has come', () => simulator.requests.count() > 0);
    } finally {
      await end(client);
    }
    return running;
  });
}

test('a backfill asks how many orders there are while the tables are created, and counts that among its requests', async () => {
  await using shop = await openNew();
  const { requests } = shop.simulator;
  const lists = watchLists(requests);
  const { code, stdout, stderr } = await runHeldBack(shop, ['backfill', '--json'], (client) => {
    expect(requests.counts()).toEqual({ orders: 1 });
    return client.query('ROLLBACK');
  });
  expect(code, stderr).toBe(0);
  expect(lists.filter(({ limit }) => limit === lists[0]?.limit)).toHaveLength(1);
  const [document] = jsonLines(stdout);
  expect(document).toMatchObject({
    orders_new: 20,
    estimate: { orders: 20 },
    requests: requests.count(),
    list_requests: requests.count('orders'),
  });
  const { rows } = await withClient(shop.url, (client) =>
    client.query('SELECT requests, list_requests FROM ops.runs'),
  );
  expect(rows).toEqual([{ requests: requests.count(), list_requests: requests.count('orders') }]);
});

test('nobody waits for its answer where the tables cannot be created', async () => {
  await using shop = await openNew();
  shop.simulator.faults.failNext(1, 'hang');
  const { code, stderr } = await runHeldBack(shop, ['backfill'], (client) => client.query('COMMIT'));
  expect(code).toBe(1);
  expect(stderr).toContain('0000_baseline could not be applied');
  await until('the request is given up', () => shop.simulator.requests.inFlight() === 0);
  expect(shop.simulator.requests.count()).toBe(1);
});

test('where it is refused, nothing is asked but the list', async () => {
  await using shop = await openNew();
  const refused = { ...shop, env: { ...shop.env, SHOP_API_KEY: 'another' } };
  const { code, stderr } = await runHeldBack(refused, ['backfill'], (client) => client.query('ROLLBACK'));
  expect(code).toBe(1);
  expect(stderr).toContain('SHOP_API_KEY');
  expect(shop.simulator.requests.counts()).toEqual({ orders: 2 });
});

test('a database that is not empty, or is of somebody else, is looked at first', async () => {
  await using shop = await openNew();
  await withClient(shop.url, (client) => client.query('CREATE SCHEMA core'));
  expect(await runInProcess(['backfill'], shop.env)).toMatchObject({ code: 2 });
  expect(shop.simulator.requests.count()).toBe(0);
});
