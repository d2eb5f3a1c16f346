import type { Client } from 'pg';
import { expect, test } from 'vitest';

import type { Simulator } from '../../../../src/simulator/server.ts';
import { type Dialect, PLAIN } from '../../../../src/simulator/shop/dialect.ts';
import type { SweepRequest } from '../../../../src/sync/sweep/sweep-request.ts';
import { daysThatAre, FORCED, openShop } from '../../../support/shop.ts';
import { differences } from '../../../support/truth.ts';
import { idAt, marks } from '../../support/copy.ts';

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
  const made = { orders: ORDERS, days: 40, seed, dialect };
  const { client, clock, differences, rows, simulator, ...ground } = await openShop(made);
  prepare?.(simulator);
  const sweep = (request: SweepRequest) => ground.sweep(request, settings);
  const first = await sweep({ kind: 'backfill' });
  expect(first.days_verified).toBeGreaterThan(0);
  expect(await wrongDays(client, simulator, clock.now())).toEqual([]);
  if (given.isLoaded === true) {
    expect(first).toMatchObject({ status: 'ok', problems: [] });
    expect(await rows('SELECT FROM tested.orders')).toHaveLength(simulator.shop.orders().length);
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
  expect(await differences()).toEqual([]);
  expect((await marks(client))?.missing).toBe(2);
  expect(await rows(`SELECT 1 FROM tested.orders o WHERE o::text LIKE '%' || chr(65533) || '%'`)).toEqual([]);
});

const now = Temporal.Instant.from('2026-03-05T12:00:00Z');

test.each(['updated', 'ignored'] as const)(
  'a list whose date filter is %s is refused: no day counts as verified by it, and what it shows is loaded',
  async (dateFilter) => {
    const { client, rows, sweep } = await openShop({
      orders: 300,
      days: 400,
      seed: 5,
      now,
      dialect: { dateFilter },
    });
    const narrow = { pageLimit: 20 };
    await expect(sweep({ kind: 'backfill' }, narrow)).rejects.toThrow(
      dateFilter === 'updated' ? /date of their last change/ : /ignores date_from and date_to/,
    );
    expect(await rows('SELECT kind, status FROM tested.runs')).toEqual([
      { kind: 'backfill', status: 'failed' },
    ]);
    expect(await daysThatAre('verified', client)).toEqual([]);
    expect((await rows('SELECT 1 FROM tested.orders')).length).toBeGreaterThanOrEqual(20);
  },
);

test('a single order with a very old date is loaded, and leaves only the day that it shows unverified', async () => {
  const { client, rows, shop, sweep } = await openShop({ orders: 60, days: 20, seed: 6, now });
  const odd = shop.orders()[30]?.orderId ?? 0;
  shop.setRaw(odd, { created: '01.01.1990' });
  const swept = await sweep();
  expect(swept).toMatchObject({ status: 'partial', orders_new: 60 });
  expect(swept.problems).toEqual([
    `order ${odd} was listed with a time of this day, but not with the orders of this day`,
  ]);
  expect(await daysThatAre('open', client)).toEqual(['1990-01-01']);
  expect(await rows('SELECT created_on::text FROM tested.orders WHERE order_id = $1', odd)).toEqual([
    { created_on: '1990-01-01' },
  ]);
});

test.each([{ time: '' }, { time: '24:00' }, { time: '03:59' }])(
  'an order of a quiet day that shows an odd time costs no more than its own day: %j',
  async (raw) => {
    const { client, clock, rows, shop, sweep } = await openShop({ orders: 200, days: 20, seed: 6, now });
    const day = Temporal.PlainDate.from('2026-03-04');
    const ofDay = shop.orders().filter(({ createdLocal }) => createdLocal.toPlainDate().equals(day));
    const odd = ofDay.at(-1)?.orderId ?? 0;
    shop.setRaw(odd, raw);
    for (const kind of ['backfill', 'sync', 'sync'] as const) {
      clock.pass({ minutes: 6 });
      if (kind === 'sync')
        shop.insertOrder({
          createdLocal: clock.now().toZonedDateTimeISO('Europe/Berlin').toPlainDateTime(),
        });
      await sweep({ kind });
      const others = (await daysThatAre('open', client)).filter((text) => text !== String(day));
      expect(others).toEqual([]);
      expect(await rows('SELECT count(*)::int AS orders FROM tested.orders')).toEqual([
        { orders: shop.orders().length },
      ]);
    }
  },
);
