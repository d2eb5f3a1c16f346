/** Shops that mislead who reads them: no day that is verified may be wrong, and once they are sane one sync heals all. */
import type { Client } from 'pg';
import { expect, test } from 'vitest';

import { type Dialect, PLAIN } from '../../../src/simulator/shop/dialect.ts';
import type { Simulator } from '../../../src/simulator/server.ts';
import { makeShopInProcess } from '../../support/in-process-shop.ts';
import { inWarehouse, sweepOnce, testClock, withoutGroups } from '../../support/sweep.ts';
import { differences } from '../../support/truth.ts';
import { FORCED, idAt, marks } from '../support/copy.ts';
import { PRESENT } from '../../support/shop.ts';

const ORDERS = 45;
/** None that a shop which counts positions in tens would know. */
const PAGE_LIMIT = 11;
/** Of sweeps after the first: a part of the days, then all. */
const AGAIN = [
  { ...FORCED, from: Temporal.PlainDate.from('2026-02-10'), to: Temporal.PlainDate.from('2026-03-01') },
  FORCED,
];

type Case = {
  readonly name: string;
  readonly dialect?: Partial<Dialect>;
  readonly seed?: number;
  /** @default such a one that a load takes several windows */
  readonly pageLimit?: number;
  /** Whatever it hides, one backfill loads all of it. @default false */
  readonly isLoaded?: boolean;
  /** Before the first load. */
  readonly prepare?: (simulator: Simulator) => void;
};

const CASES: readonly Case[] = [
  {
    name: 'counts the rows of the page as the total, 25 to a page',
    pageLimit: 500,
    dialect: { total: 'page' },
    prepare: ({ pages }) => void (pages.cap = 25),
  },
  { name: 'answers with nothing one time in ten', dialect: { falseEmpties: 10 }, seed: 13 },
  {
    name: 'serves no more than 30 orders of any list, oldest first, and counts all of the shop',
    dialect: { reach: 30, listOrder: 'asc', total: 'all' },
  },
  {
    name: 'takes a list without date_from for the last 10 days, oldest first',
    dialect: { openDays: 10, listOrder: 'asc' },
    isLoaded: true,
  },
  {
    name: 'leaves out what was placed just at date_from',
    dialect: { dateFrom: 'exclusive' },
    prepare({ shop }) {
      const midnight = Temporal.PlainDateTime.from('2026-02-05T00:00');
      for (let days = 0; days < 15; days++) shop.insertOrder({ createdLocal: midnight.add({ days }) });
    },
  },
  {
    name: 'holds orders of the future, of before 2000 and of no date',
    prepare({ shop }) {
      for (const time of ['2031-01-01T08:00', '2026-03-12T08:00', '1999-01-01T08:00']) {
        shop.insertOrder({ createdLocal: Temporal.PlainDateTime.from(time) });
      }
      shop.insertOrder({ createdText: '00.00.0000' });
    },
  },
  { name: 'refuses one order', prepare: (simulator) => simulator.shop.refuse('order', idAt(simulator, 22)) },
  {
    name: 'says success 0 and a message of an order that is gone',
    dialect: { unknownOrder: 'success-0-message' },
  },
];

/**
 * What was verified by the sweep of this moment, and is not the shop. A day that the ledger does not name was verified
 * with the next that it does.
 */
async function wrongDays(
  client: Client,
  { shop }: Simulator,
  now: Temporal.Instant,
): Promise<readonly string[]> {
  const { rows } = await client.query<{ day: string; is_verified: boolean }>(
    'SELECT day::text, coalesce(verified_at = $1, false) AS is_verified FROM tested.days ORDER BY day',
    [now.toString()],
  );
  const { rows: held } = await client.query<{ day: string }>(
    'SELECT DISTINCT created_on::text AS day FROM tested.orders WHERE created_on IS NOT NULL',
  );
  const dated = shop.orders().filter(({ createdText }) => createdText === null);
  const inShop = dated.map(({ createdLocal }) => createdLocal.toPlainDate().toString());
  const days = [...inShop, ...held.map(({ day }) => day)].filter(
    (day) => rows.find((row) => row.day >= day)?.is_verified,
  );
  return differences(client, shop, { days: new Set(days), onlyFetchedLines: true });
}

function changeShop(simulator: Simulator): void {
  const { shop } = simulator;
  const ids = [10, 25, 26, 35, 42].map((index) => idAt(simulator, index));
  for (const [index, id] of ids.entries()) {
    if (index < 2) shop.deleteOrder(id);
    else shop.editOrder(id);
  }
  const placed = shop.orders()[32]?.createdLocal;
  shop.insertOrder(placed && { createdLocal: placed });
  shop.insertOrder();
}

function makeSane(simulator: Simulator): void {
  simulator.shop.setDialect(PLAIN);
  simulator.pages.cap = undefined;
  simulator.shop.allowAll();
}

test.each(CASES)('a shop that $name: no verified day is wrong, and one sync repairs it', async (given) => {
  const { dialect = {}, seed = 12, prepare } = given;
  const settings = { pageLimit: given.pageLimit ?? PAGE_LIMIT };
  await using simulator = makeShopInProcess({ orders: ORDERS, days: 40, seed, now: PRESENT, dialect });
  prepare?.(simulator);
  await inWarehouse(async ({ client, db }) => {
    const clock = testClock(PRESENT);
    const means = { now: clock.now, through: withoutGroups };
    const sweep = (request: Parameters<typeof sweepOnce>[2]) =>
      sweepOnce(simulator, db, request, settings, means);
    const first = await sweep({ kind: 'backfill' });
    expect(first.days_verified).toBeGreaterThan(0);
    expect(await wrongDays(client, simulator, clock.now())).toEqual([]);
    if (given.isLoaded === true) {
      const { rows } = await client.query('SELECT count(*)::int AS orders FROM tested.orders');
      expect({ status: first.status, rows, problems: first.problems }).toMatchObject({
        status: 'ok',
        rows: [{ orders: simulator.shop.orders().length }],
      });
    }

    changeShop(simulator);
    expect(await wrongDays(client, simulator, clock.now()), 'the test sees what is wrong').not.toEqual([]);
    for (const request of AGAIN) {
      clock.pass({ minutes: 6 });
      const again = await sweep(request);
      expect(again.days_verified).toBeGreaterThan(0);
      expect(await wrongDays(client, simulator, clock.now())).toEqual([]);
    }

    makeSane(simulator);
    clock.pass({ hours: 8 * 24 });
    expect(await sweep({ kind: 'sync' })).toMatchObject({ status: 'ok' });
    expect(await differences(client, simulator.shop)).toEqual([]);
    expect((await marks(client))?.missing).toBe(2);
    const { rows } = await client.query(
      `SELECT 1 FROM tested.orders o WHERE o::text LIKE '%' || chr(65533) || '%'`,
    );
    expect(rows).toEqual([]);
  });
});
