import { setTimeout as sleep } from 'node:timers/promises';

import type { Client } from 'pg';
import { expect, test } from 'vitest';

import { openDatabase } from '../../src/warehouse/db/database.ts';
import { runCommand } from '../support/command-line.ts';
import { freshDatabase } from '../support/database.ts';
import { openLab, untilEqual } from '../support/fleet-lab.ts';
import { createLogin } from '../support/login.ts';
import { startBouncer } from '../support/pgbouncer.ts';
import { stop } from '../support/kill.ts';
import { longTest } from '../support/long-test.ts';

const SHOP = { orders: 30, days: 5 };

/** Looks at the connections to the database of a client again and again, until disposed. */
function watchConnections(client: Client): AsyncDisposable & { readonly counts: Set<number> } {
  const counts = new Set<number>();
  const over = new AbortController();
  const look = async () => {
    while (!over.signal.aborted) {
      const { rows } = await client.query<{ open: number }>(
        `SELECT count(*)::int AS open FROM pg_stat_activity
         WHERE datname = current_database() AND application_name LIKE 'order-sync%'`,
      );
      counts.add(rows[0]?.open ?? 0);
      await sleep(10);
    }
  };
  const looking = look();
  const stop = async () => {
    over.abort();
    await looking;
  };
  return { counts, [Symbol.asyncDispose]: stop };
}

longTest(
  'a worker whose user owns nothing sweeps eight shops at once over five connections, and never opens a sixth',
  async () => {
    await using lab = await openLab(await freshDatabase(), 8, SHOP, { maxRps: 1_000 });
    await using login = await createLogin(lab.databaseUrl, 'order_sync_worker');
    const env = { DATABASE_URL: login.url, DATABASE_CONNECTIONS: '5' };
    const worker = lab.startWorker(env);
    {
      await using database = await openDatabase(lab.databaseUrl, 1, 'looks');
      const client = await database.connect();
      try {
        await using watch = watchConnections(client);
        await untilEqual(lab);
        const page = await fetch(`${await worker.url}/readyz`);
        expect({ status: page.status, text: await page.text() }).toEqual({ status: 200, text: 'ok\n' });
        expect(Math.max(...watch.counts)).toBeLessThanOrEqual(5);
        expect(Math.max(...watch.counts)).toBeGreaterThan(3);
      } finally {
        await client.end();
      }
    }
    expect((await stop(worker)).code).toBe(0);
    // Nothing is left to migrate, which is all that this user could not do.
    const migrate = await runCommand(['migrate'], { DATABASE_URL: login.url });
    expect(migrate, migrate.stderr).toMatchObject({
      code: 0,
      stdout: 'The database is up to date.\n',
      stderr: '',
    });
  },
);

test('a worker behind PgBouncer, in transaction mode, brings every shop', async (context) => {
  await using lab = await openLab(await freshDatabase(), 3, SHOP, { maxRps: 1_000 });
  await using bouncer = await startBouncer(context, lab.databaseUrl);
  const worker = lab.startWorker({ DATABASE_URL: bouncer.url });
  await untilEqual(lab);
  const status = await fetch(`${await worker.url}/status.json`);
  expect(await status.json()).toHaveLength(3);
  const { code, stderr } = await stop(worker);
  expect(code).toBe(0);
  expect(stderr).not.toMatch(/prepared statement|"level":(40|50)/);
});
