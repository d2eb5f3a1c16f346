/** Shops whose counts are none, or of something else: what they count wrong is suspended, and nothing else changes. */
import type { Client } from 'pg';
import { expect, test } from 'vitest';

import { TerminalError } from '../../../../src/model/errors.ts';
import { parseFreshness } from '../../../../src/plan/days/freshness.ts';
import type { OrdersQuery } from '../../../../src/shop-api/endpoints/list-orders.ts';
import type { ShopApi } from '../../../../src/shop-api/shop-api.ts';
import type { Simulator } from '../../../../src/simulator/server.ts';
import type { Dialect } from '../../../../src/simulator/shop/dialect.ts';
import type { Db } from '../../../../src/warehouse/db/database.ts';
import { readSuspendedCounts } from '../../../../src/warehouse/ops/due.ts';
import { keepCounts, type KeptCounts } from '../../../support/cached-counts.ts';
import { watchLists } from '../../../support/list-requests.ts';
import { everyday } from '../../../support/long.ts';
import { openGround, openShop } from '../../../support/shop.ts';
import { testedShopId, withoutGroups } from '../../../support/sweep.ts';
import { differences } from '../../../support/truth.ts';

const NOW = Temporal.Instant.from('2026-03-10T12:00:00Z');
const MINUTE = 60_000;

type Case = {
  readonly name: string;
  readonly lie: Partial<Dialect>;
  /** A cache answers what was counted before, and does not say so. */
  readonly isCached?: boolean;
  /** Facets that are suspended in the end, with the reason of one. */
  readonly suspended: RegExp;
  /** Counts that the shop is asked for in the end: those that are right. */
  readonly counts?: number;
};

const CASES: readonly Case[] = [
  {
    name: 'total counts all orders',
    // The newest days show it, before anything is counted.
    lie: { total: 'all' },
    suspended: /^$/,
    counts: 0,
  },
  // Now and then it is right, by chance.
  { name: 'total is random', lie: { total: 'random' }, suspended: /^/ },
  {
    name: 'filters are ignored',
    lie: { filters: 'ignored' },
    suspended: /summ_from \d+\.5: its count led to \d{4}-\d\d-\d\d, where nothing differs/,
    counts: 1,
  },
  {
    name: 'a filter takes the place of the dates',
    lie: { filters: 'instead-of-dates' },
    suspended: /pay_status S: its count led to \d{4}-\d\d-\d\d/,
    // Codes that no order has are not counted wrong.
    counts: 13,
  },
  {
    name: 'an empty status is no filter',
    lie: { emptyStatus: 'ignored' },
    suspended: /^status '': its count led to \d{4}-\d\d-\d\d, where nothing differs$/,
    counts: 27,
  },
  {
    name: 'total ends at 100',
    lie: { total: 'capped' },
    suspended: /all orders: its count led to/,
    counts: 23,
  },
  {
    name: 'a cache answers what was counted before, and does not say so',
    lie: {},
    isCached: true,
    suspended: /all orders: its count led to/,
    counts: 0,
  },
  {
    name: 'total is that of an earlier time',
    lie: { total: 'stale' },
    suspended: /^$/,
    counts: 0,
  },
];

/** Differences on days that were verified since the shop changed. */
async function wrongDays(client: Client, simulator: Simulator, since: Temporal.Instant) {
  const { rows } = await client.query<{ day: string }>(
    'SELECT day::text FROM tested.days WHERE verified_at > $1',
    [since.toString()],
  );
  return differences(client, simulator.shop, { days: new Set(rows.map(({ day }) => day)) });
}

async function suspendedText(db: Db, now: Temporal.Instant): Promise<string> {
  const suspended = await readSuspendedCounts(db, [await testedShopId(db)], now);
  return suspended.map(({ facet, reason }) => `${facet}: ${reason}`).join('\n');
}

/** A shop that is loaded, lies, and changes: what is found, with counts every so often. */
async function live({ isCached, lie }: Case, countEveryMs: number) {
  await using ground = await openGround({ orders: 160, days: 50, now: NOW });
  const { client, clock, db, shop, simulator } = ground;
  const settings = { countEveryMs, freshness: parseFreshness('2d:1m, *:2h') };
  const kept: KeptCounts = new Map();
  const through = (api: ShopApi) => withoutGroups(isCached === true ? keepCounts(api, kept) : api);
  const sync = () => ground.sweep({ kind: 'sync' }, settings, { through });
  await ground.sweep({ kind: 'backfill' }, {}, { through });
  clock.pass({ minutes: 1 });
  shop.setDialect(lie);
  const lists = watchLists(simulator.requests);
  await sync();
  // Lists of the newest days have no end; and whether more follows behind a list is asked up to three times.
  const ofOlder = lists.filter(
    ({ dateTo, limit, start }) => limit !== 1 && dateTo !== undefined && start === 0,
  );
  const read = ofOlder.map((list) => JSON.stringify(list));
  const readAgain = read.filter((list, index) => read.indexOf(list) < index);
  const changedAt = clock.now();
  const [oldest, second] = shop.orders();
  shop.deleteOrder(oldest?.orderId ?? 0);
  shop.editOrder(second?.orderId ?? 0);
  let asked = 0;
  for (const minutes of [1, 1, 1, 125, 1, 1, 1]) {
    clock.pass({ minutes });
    shop.insertOrder();
    const before = lists.length;
    await sync();
    asked = lists.slice(before).filter(({ limit }) => limit === 1).length;
    expect(await wrongDays(client, simulator, changedAt)).toEqual([]);
  }
  return {
    asked,
    readAgain,
    wrong: await ground.differences(),
    suspended: await suspendedText(db, clock.now()),
  };
}

test.for(everyday(CASES, 'filters are ignored'))(
  'if $name, counts verify no day, and changes are found as without counts',
  async (given) => {
    const { suspended, asked, readAgain, wrong } = await live(given, MINUTE);
    expect(wrong).toEqual((await live(given, 0)).wrong);
    expect(suspended).toMatch(given.suspended);
    if (given.counts !== undefined) expect(asked).toBe(given.counts);
    expect(readAgain, 'a day that several facets lead to').toEqual([]);
  },
);

test('facets that are suspended are requested again after a day, and kept if they are right by then', async () => {
  const { shop, sync } = await openCounted();
  const right = await sync();
  shop.setDialect({ filters: 'ignored' });
  for (let count = 0; count < 4; count++) await sync();
  expect((await sync()).asked).toBe(1);
  shop.setDialect({ filters: 'obeyed' });
  expect((await sync()).suspended).toContain('summ_from');
  await sync(withoutGroups, 24);
  const again = await sync();
  expect(again.suspended).toBe('');
  expect(again.asked).toBeGreaterThanOrEqual(right.asked);
});

/** For `through`: the shop refuses some lists, of which `note` is told. */
const refusing =
  (isRefused: (query: OrdersQuery) => boolean, note: () => void) =>
  (api: ShopApi): ShopApi => ({
    ...withoutGroups(api),
    listOrders: async (query, ...others) => {
      if (!isRefused(query)) return api.listOrders(query, ...others);
      note();
      throw new TerminalError('GET /orders: the shop answered 403', { status: 403, scope: 'shop' });
    },
  });

test('where the shop fails at filters, two requests a sync are lost, and the sync is as good as ever', async () => {
  const { clock, db, differences, sweep } = await openShop({ orders: 60, days: 30, now: NOW });
  let refused = 0;
  const through = refusing(
    ({ filters }) => filters?.status !== undefined,
    () => refused++,
  );
  await sweep({ kind: 'backfill' }, {}, { through });
  for (let count = 1; count <= 3; count++) {
    clock.pass({ minutes: 1 });
    const { status } = await sweep({ kind: 'sync' }, { countEveryMs: MINUTE }, { through });
    expect([status, refused]).toEqual(['ok', 2 * count]);
  }
  expect(await differences()).toEqual([]);
  const suspended = await suspendedText(db, clock.now());
  expect(suspended).toContain('could not be counted: GET /orders: the shop answered 403');
});

test('a count that fails is retried once an hour', async () => {
  const { sync } = await openCounted();
  let refused = 0;
  const through = refusing(
    ({ filters }) => filters?.pay_status === 'FP',
    () => refused++,
  );
  const asked: number[] = [];
  for (const hours of [0, 0, 0, 1, 0]) {
    await sync(through, hours);
    asked.push(refused);
  }
  expect(asked).toEqual([1, 1, 1, 2, 2]);
});

/** What a shop counts, changed. */
const counting =
  (count: (total: number, query: OrdersQuery) => number) =>
  (api: ShopApi): ShopApi => ({
    ...withoutGroups(api),
    listOrders: async (query, ...others) => {
      const page = await api.listOrders(query, ...others);
      return query.limit === 1 ? { ...page, total: count(page.total ?? 0, query) } : page;
    },
  });

/** A shop that is loaded, and counted by each sync. */
async function openCounted() {
  const { clock, db, shop, simulator, sweep } = await openShop({ orders: 60, days: 30, now: NOW });
  const lists = watchLists(simulator.requests);
  /** A sync a minute later, that counts: the requests for counts, and the facets that are suspended, with their reasons. */
  const sync = async (through = withoutGroups, hours = 0) => {
    clock.pass({ hours, minutes: 1 });
    const before = lists.length;
    await sweep({ kind: 'sync' }, { countEveryMs: MINUTE }, { through });
    return {
      asked: lists.slice(before).filter(({ limit }) => limit === 1).length,
      suspended: await suspendedText(db, clock.now()),
    };
  };
  await sweep();
  return { shop, sync };
}

test('where the shop counts all orders twice, a few counts lead to one day, and the count of all is suspended', async () => {
  const { sync } = await openCounted();
  const isOfAll = ({ filters = {} }: OrdersQuery) => Object.keys(filters).length === 0;
  const twice = counting((total, query) => (isOfAll(query) ? 2 * total : total));
  const quiet = await sync();
  const once = await sync(twice);
  // The halvings of 30 days, and the whole once more.
  expect(once.asked).toBeLessThanOrEqual(quiet.asked + 6);
  expect(once.suspended).toMatch(/^all orders: its count led to/);
  // Codes without any do not follow from the others now.
  const { asked } = await sync(twice);
  expect(asked).toBe((await sync(twice)).asked);
});

test('a change that is made while the shop counts suspends no facet', async () => {
  const { shop, sync } = await openCounted();
  const [first, second, third] = [10, 40, 45].map((at) => shop.orders()[at]?.orderId ?? 0);
  await sync();
  shop.deleteOrder(first ?? 0);
  let asked = 0;
  // The second one is deleted after the whole was counted, so that the halves lead to a day without a difference.
  const through = counting((total, query) => {
    const isHalf = Object.keys(query).length === 3 && asked++ > 0;
    if (isHalf && asked === 2) shop.deleteOrder(second ?? 0);
    return total;
  });
  expect((await sync(through)).suspended).toBe('');
  shop.deleteOrder(third ?? 0);
  await sync();
  expect((await sync()).suspended).toBe('');
});
