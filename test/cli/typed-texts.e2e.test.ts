/** What staff type into an order is shown by no command that bi hides it from. */
import { expect, test } from 'vitest';

import { openShop } from '../support/shop-of-commands.ts';

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

test.each(['keep', 'pseudonymize'])('with PII_MODE=%s, no command shows what bi hides', async (mode) => {
  await using opened = await openShop({ orders: 30, days: 5, seed: 4 }, { PII_MODE: mode });
  const { simulator } = opened;
  const id = simulator.shop.orders()[0]?.orderId ?? 0;
  simulator.shop.setRaw(id, TYPED);
  const run = async (line: string | readonly string[]) => {
    const { code, stdout, stderr } = await opened.run(line);
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
      expect({ args, shown: namesIn(await run(args)) }).toEqual({ args, shown: [] });
  }
  await run(`sync --order ${id}`);
  for (const args of ['status', 'status --json', 'statuses', 'fields', 'rejections'])
    expect({ args, shown: namesIn(await run(args)) }).toEqual({ args, shown: [] });
  const shown = await run(['sql', '--json', VIEWS]);
  expect(namesIn(shown)).toEqual([]);
  expect(namesIn(await run(`fetch order ${id} --pii`))).toContain('status');
});

test('a number that the owner classifies as a status is one, from the next replay on', async () => {
  await using opened = await openShop({ orders: 20, days: 5, seed: 4 });
  const { simulator, run } = opened;
  simulator.shop.setRaw(simulator.shop.orders()[0]?.orderId ?? 0, { status: TYPED.status });
  await run('backfill');
  const codes = async () => {
    const query = 'SELECT status_code FROM orders GROUP BY 1 ORDER BY length(status_code) DESC LIMIT 1';
    return (await run(['sql', '--format', 'csv', query])).stdout.split('\n')[1];
  };
  expect(await codes()).toBe('(hidden)');
  const classified = await run(`statuses set ${TYPED.status} --stage open --add --shop default`);
  expect(classified, classified.stderr).toMatchObject({ code: 0 });
  expect(await run('replay')).toMatchObject({ code: 0 });
  expect(await codes()).toBe(TYPED.status);
  expect(await run('verify')).toMatchObject({ code: 0 });
});
