import { expect, test } from 'vitest';

import {
  type Dialect,
  DIALECT_VALUES,
  PLAIN,
  readSwitch,
  WEIRD,
} from '../../../src/simulator/api/dialect.ts';
import { startSimulator } from '../../../src/simulator/server.ts';
import { inWarehouse, sweepOnce } from '../../support/sweep.ts';
import { differences } from '../../support/truth.ts';

const now = Temporal.Instant.from('2026-03-05T12:00:00Z');
/** Not dialects but obstacles: a date filter that is none, and requests that always fail. They have tests of their own. */
const OBSTACLES = ['dateFilter', 'failing'];

const switches = Object.entries(DIALECT_VALUES)
  .filter(([name]) => !OBSTACLES.includes(name))
  .flatMap(([name, values]) => values.map((value) => ({ name, value: String(value) })))
  .filter(({ name, value }) => String(Reflect.get(PLAIN, name)) !== value);

async function expectEqualCopy(dialect: Partial<Dialect>, pageCap: number): Promise<void> {
  await using simulator = await startSimulator({ orders: 60, days: 8, seed: 21, now, dialect, pageCap });
  await inWarehouse(async ({ client, db }) => {
    await sweepOnce(simulator, db);
    for (const order of simulator.shop.orders().slice(0, 9)) simulator.shop.editOrder(order.orderId);
    await sweepOnce(simulator, db, { kind: 'backfill', force: true });
    expect(await differences(client, simulator.shop)).toEqual([]);
  });
}

test.each(switches)('a shop with $name=$value is copied exactly', async ({ name, value }) => {
  await expectEqualCopy(readSwitch(name, value), 60);
});

test.each([40, 10_000])(
  'a shop with every oddity at once and a page cap of %i is copied exactly',
  async (pageCap) => {
    await expectEqualCopy(WEIRD, pageCap);
  },
);
