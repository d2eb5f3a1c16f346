import { expect, test } from 'vitest';

import {
  type Dialect,
  DIALECT_VALUES,
  PLAIN,
  readSwitch,
  WEIRD,
} from '../../../../src/simulator/shop/dialect.ts';
import { startSimulator } from '../../../../src/simulator/server.ts';
import { withClient } from '../../../support/database-clients.ts';
import { makeShopInProcess } from '../../../support/in-process-shop.ts';
import { type Means, sweepOnce, testClock, withoutGroups } from '../../../support/sweep.ts';
import { differences } from '../../../support/truth.ts';
import { fileWarehouse } from '../../../warehouse/test-warehouse.ts';
import { IS_LONG } from '../../../support/long.ts';

const now = Temporal.Instant.from('2026-03-05T12:00:00Z');
/**
 * Not dialects but obstacles: a date filter that is none, requests that always fail, contents and sums that are not those of
 * the order. They have tests of their own.
 */
const OBSTACLES = ['dateFilter', 'failing', 'contentLines', 'contents', 'sums'];

const switches = Object.entries(DIALECT_VALUES)
  .filter(([name]) => !OBSTACLES.includes(name))
  .flatMap(([name, values]) => values.map((value) => ({ name, value: String(value) })))
  .filter(({ name, value }) => String(Reflect.get(PLAIN, name)) !== value);

/** How bytes travel, which only a socket shows. */
const ON_THE_WIRE: readonly (keyof Dialect)[] = ['gzip', 'bom', 'charset'];

const warehouse = fileWarehouse();

let shops = 0;

/** @param means what the sweeps go through; groups are a third of a small shop's requests */
async function expectEqualCopy(
  dialect: Partial<Dialect>,
  pageCap: number,
  means: Pick<Means, 'through'> = {},
): Promise<void> {
  const { db, url } = warehouse;
  // Two shops of the same orders would be taken for one.
  const seed = 21 + shops++;
  const options = { orders: 16, days: 4, seed, now, dialect, pageCap };
  const isOnTheWire = ON_THE_WIRE.some((name) => name in dialect);
  await using simulator = isOnTheWire ? await startSimulator(options) : makeShopInProcess(options);
  const given = { shopKey: `dialect-${seed}` };
  const clock = testClock(now);
  await sweepOnce(simulator, db, { kind: 'backfill' }, given, { ...means, now: clock.now });
  for (const order of simulator.shop.orders().slice(0, 5)) simulator.shop.editOrder(order.orderId);
  clock.pass({ minutes: 5 });
  await sweepOnce(simulator, db, { kind: 'backfill', force: true }, given, { ...means, now: clock.now });
  expect(await withClient(url, (client) => differences(client, simulator.shop, given))).toEqual([]);
}

/** Those that a sweep has to do with: the forms of answers are told apart below it, and are all in `WEIRD`. */
const OF_SWEEPS = /^(total|pages|reach|date|falseEmpties|start|listOrder)/;
const first = switches.filter(
  ({ name }, index) => OF_SWEEPS.test(name) && switches[index - 1]?.name !== name,
);

test.each(IS_LONG ? switches : first)(
  'a shop with $name=$value is copied exactly',
  async ({ name, value }) => {
    await expectEqualCopy(readSwitch(name, value), 16, { through: withoutGroups });
  },
);

test.each([10, 10_000])(
  'a shop with every oddity at once and a page cap of %i is copied exactly',
  async (pageCap) => {
    await expectEqualCopy(WEIRD, pageCap);
  },
);
