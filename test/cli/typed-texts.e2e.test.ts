/** What staff type into an order is shown by no command that bi hides it from. */
import { expect, test } from 'vitest';

import { startSimulator } from '../../src/simulator/server.ts';
import { settingsFor } from '../support/command-line.ts';
import { freshDatabase } from '../support/database.ts';
import { runInProcess } from '../support/run-in-process.ts';

const TYPED = {
  status: '79161230001',
  pay_status: '8-916-123-00-02',
  delivery: 'Курьер +7 916 123-00-03',
  color: 'ivan0004@mail.example',
  currency: '89161230005',
  pay_method: '79161230006',
  discount: '7 916 123 00 07',
  hash: 'canary0008',
};

const VIEWS = ['orders', 'statuses', 'order_history', 'unclassified_statuses']
  .map((view) => `SELECT to_jsonb(v) AS row FROM ${view} v`)
  .join(' UNION ALL ');

test.each(['keep', 'pseudonymize'])(
  'where persons are to %s, no command shows what bi hides',
  async (mode) => {
    await using simulator = await startSimulator({ orders: 30, days: 5, seed: 4 });
    await using database = await freshDatabase();
    const env = { ...settingsFor(simulator, database.url), PII_MODE: mode };
    const id = simulator.shop.orders()[0]?.orderId ?? 0;
    simulator.shop.setRaw(id, TYPED);
    const run = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await runInProcess(args, env);
      expect(code, stderr).not.toBe(2);
      return stdout + stderr;
    };
    const namesIn = (text: string) =>
      Object.entries(TYPED).flatMap(([name, typed]) => (text.includes(typed) ? [name] : []));
    await run('backfill');
    const differing = { ...TYPED, delivery: `${TYPED.delivery}, этаж 2`, pay_status: '89161230022' };
    for (const typed of [TYPED, differing]) {
      simulator.shop.setRaw(id, { ...typed, summ: typed === TYPED ? '2' : '1' });
      for (const args of [
        'verify',
        'verify --lines --json',
        'fetch orders --json',
        `fetch order ${id}`,
        `fetch order ${id} --json`,
      ])
        expect({ args, shown: namesIn(await run(...args.split(' '))) }).toEqual({ args, shown: [] });
    }
    await run('sync', '--order', String(id));
    for (const args of ['status', 'status --json', 'statuses', 'fields', 'rejections'])
      expect({ args, shown: namesIn(await run(...args.split(' '))) }).toEqual({ args, shown: [] });
    const shown = await run('sql', '--json', VIEWS);
    expect(namesIn(shown)).toEqual([]);
    expect(namesIn(await run('fetch', 'order', String(id), '--pii'))).toContain('status');
  },
);

test('a number that the owner classifies as a status is one, from the next replay on', async () => {
  await using simulator = await startSimulator({ orders: 20, days: 5, seed: 4 });
  await using database = await freshDatabase();
  const env = settingsFor(simulator, database.url);
  simulator.shop.setRaw(simulator.shop.orders()[0]?.orderId ?? 0, { status: TYPED.status });
  await runInProcess(['backfill'], env);
  const codes = async () => {
    const query = 'SELECT status_code FROM orders GROUP BY 1 ORDER BY length(status_code) DESC LIMIT 1';
    return (await runInProcess(['sql', '--format', 'csv', query], env)).stdout.split('\n')[1];
  };
  expect(await codes()).toBe('(hidden)');
  const classified = await runInProcess(
    ['statuses', 'set', TYPED.status, '--stage', 'open', '--add', '--shop', 'default'],
    env,
  );
  expect(classified, classified.stderr).toMatchObject({ code: 0 });
  expect(await runInProcess(['replay'], env)).toMatchObject({ code: 0 });
  expect(await codes()).toBe(TYPED.status);
  expect(await runInProcess(['verify'], env)).toMatchObject({ code: 0 });
});
