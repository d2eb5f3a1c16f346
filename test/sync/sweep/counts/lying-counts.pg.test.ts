/** Shops whose counts are none, or of something else: what they count wrong is set aside, and nothing else changes. */
import type { Client } from 'pg';
import { expect, test } from 'vitest';

import { TerminalError } from '../../../../src/errors.ts';
import { setAside } from '../../../../src/plan/counts/facets.ts';
import { parseFreshness } from '../../../../src/plan/days/freshness.ts';
import type { Simulator } from '../../../../src/simulator/server.ts';
import type { Dialect } from '../../../../src/simulator/shop/dialect.ts';
import { toDoubts } from '../../../../src/sync/run/shop-state.ts';
import type { OrdersQuery } from '../../../../src/shop-api/endpoints/list-orders.ts';
import type { ShopApi } from '../../../../src/shop-api/shop-api.ts';
import type { Db } from '../../../../src/warehouse/db/database.ts';
import { readShopState } from '../../../../src/warehouse/ops/stored-shop-state.ts';
import { keepCounts, type KeptCounts } from '../../../support/cached-counts.ts';
import { makeShopInProcess } from '../../../support/in-process-shop.ts';
import { watchLists } from '../../../support/list-requests.ts';
import {
  inWarehouse,
  type Means,
  sweepOnce,
  testClock,
  testedShopId,
  withoutGroups,
} from '../../../support/sweep.ts';
import { differences } from '../../../support/truth.ts';
import { withTwin } from '../../../support/twin-order.ts';
import { everyday } from '../../../support/long.ts';
import { longTest } from '../../../support/long-test.ts';

const NOW = Temporal.Instant.from('2026-03-10T12:00:00Z');
const MINUTE = 60_000;

type Case = {
  readonly name: string;
  readonly lie: Partial<Dialect>;
  /** A cache answers what was counted before, and does not say so. */
  readonly isCached?: boolean;
  /** Facets that are set aside in the end, with the reason of one. */
  readonly aside: RegExp;
  /** Counts that the shop is asked for in the end: those that are right. */
  readonly counts?: number;
};

const CASES: readonly Case[] = [
  { name: 'total counts all orders', lie: { total: 'all' }, aside: /^$/, counts: 0 },
  // Now and then it is right, by chance.
  { name: 'total is random', lie: { total: 'random' }, aside: /^/ },
  {
    name: 'filters are ignored',
    lie: { filters: 'ignored' },
    aside: /summ_from \d+\.5: the shop's filter found \d+ orders? of \d{4}-\d\d-\d\d where \d+ match/,
    counts: 1,
  },
  {
    name: 'a filter takes the place of the dates',
    lie: { filters: 'instead-of-dates' },
    aside: /pay_status S: the shop's filter found \d+ orders of \d{4}-\d\d-\d\d where \d+ match/,
    // Codes that no order has are not counted wrong.
    counts: 14,
  },
  {
    name: 'an empty status is no filter',
    lie: { emptyStatus: 'ignored' },
    aside: /^status '': the shop's filter found \d+ orders? of \d{4}-\d\d-\d\d where 0 match$/,
    counts: 27,
  },
  {
    name: 'total ends at 100',
    lie: { total: 'capped' },
    aside: /all orders: the shop counts fewer orders in all than in a part/,
    counts: 23,
  },
  {
    name: 'a cache answers what was counted before, and does not say so',
    lie: {},
    isCached: true,
    aside: /all orders: counts/,
    counts: 0,
  },
  {
    name: 'total is that of an earlier time',
    lie: { total: 'stale' },
    aside: /^$/,
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

async function asideText(db: Db, now: Temporal.Instant): Promise<string> {
  const state = await readShopState(db, await testedShopId(db));
  const aside = state === undefined ? [] : setAside(toDoubts(state), now);
  return aside.map(({ facet, reason }) => `${facet}: ${reason}`).join('\n');
}

/** A shop that is loaded, lies, and changes: what is found, with counts every so often. */
async function live({ isCached, lie }: Case, countEveryMs: number) {
  const clock = testClock(NOW);
  await using simulator = makeShopInProcess({ orders: 160, days: 50, now: NOW });
  let end = { wrong: [] as readonly string[], aside: '', asked: 0, readAgain: [] as readonly string[] };
  await inWarehouse(async ({ client, db }) => {
    const settings = { countEveryMs, freshness: parseFreshness('2d:1m, *:2h') };
    const kept: KeptCounts = new Map();
    const through = (api: ShopApi) => withoutGroups(isCached === true ? keepCounts(api, kept) : api);
    const means = { now: clock.now, through };
    const sync = () => sweepOnce(simulator, db, { kind: 'sync' }, settings, means);
    await sweepOnce(simulator, db, { kind: 'backfill' }, {}, means);
    clock.pass({ minutes: 1 });
    simulator.shop.setDialect(lie);
    const lists = watchLists(simulator.requests);
    await sync();
    // Lists of the newest days have no end.
    const ofOlder = lists.filter(({ limit, dateTo }) => limit !== 1 && dateTo !== undefined);
    const read = ofOlder.map((list) => JSON.stringify(list));
    const readAgain = read.filter((list, index) => read.indexOf(list) < index);
    const changedAt = clock.now();
    const [oldest, second] = simulator.shop.orders();
    simulator.shop.deleteOrder(oldest?.orderId ?? 0);
    simulator.shop.editOrder(second?.orderId ?? 0);
    for (const minutes of [1, 1, 1, 125, 1, 1, 1]) {
      clock.pass({ minutes });
      simulator.shop.insertOrder();
      const before = lists.length;
      await sync();
      const asked = lists.slice(before).filter(({ limit }) => limit === 1).length;
      expect(await wrongDays(client, simulator, changedAt)).toEqual([]);
      end = { ...end, asked };
    }
    end = {
      ...end,
      readAgain,
      wrong: await differences(client, simulator.shop),
      aside: await asideText(db, clock.now()),
    };
  });
  return end;
}

test.for(everyday(CASES, 'filters are ignored'))(
  'where $name, no day is verified by it, and what changed is found as without counts',
  async (given) => {
    const { aside, asked, readAgain, wrong } = await live(given, MINUTE);
    expect(wrong).toEqual((await live(given, 0)).wrong);
    expect(aside).toMatch(given.aside);
    if (given.counts !== undefined) expect(asked).toBe(given.counts);
    expect(readAgain, 'a day that several facets lead to').toEqual([]);
  },
);

longTest(
  'facets that are set aside are asked for again after an audit, and kept if they are right by then',
  async () => {
    const clock = testClock(NOW);
    await using simulator = makeShopInProcess({ orders: 160, days: 50, now: NOW });
    await inWarehouse(async ({ db }) => {
      const means = { now: clock.now, through: withoutGroups };
      const sync = async (minutes: number) => {
        const lists = watchLists(simulator.requests);
        clock.pass({ minutes });
        await sweepOnce(simulator, db, { kind: 'sync' }, { countEveryMs: MINUTE }, means);
        return lists.filter(({ limit }) => limit === 1).length;
      };
      await sweepOnce(simulator, db, { kind: 'backfill' }, {}, means);
      const right = await sync(1);
      simulator.shop.setDialect({ filters: 'ignored' });
      // Set aside for longer each time: an hour, six, 36, and then a week, from the 44th hour to the 212th.
      for (const minutes of [1, 1, 61, 361, 2161]) await sync(minutes);
      simulator.shop.setDialect({ filters: 'obeyed' });
      await sync(60);
      expect(await asideText(db, clock.now())).toContain('summ_from');
      // After five days the whole list is read at once, which is as good as an audit.
      await sync(5 * 24 * 60);
      expect(await asideText(db, clock.now())).toBe('');
      expect(await sync(1)).toBe(right);
      expect((await readShopState(db, await testedShopId(db)))?.facet_doubts).toEqual([]);
    });
  },
);

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
  const clock = testClock(NOW);
  await using simulator = makeShopInProcess({ orders: 60, days: 30, now: NOW });
  await inWarehouse(async ({ client, db }) => {
    let refused = 0;
    const through = refusing(
      ({ status }) => status !== undefined,
      () => refused++,
    );
    const means = { now: clock.now, through };
    await sweepOnce(simulator, db, { kind: 'backfill' }, {}, means);
    for (let count = 1; count <= 3; count++) {
      clock.pass({ minutes: 1 });
      const { status } = await sweepOnce(simulator, db, { kind: 'sync' }, { countEveryMs: MINUTE }, means);
      expect([status, refused]).toEqual(['ok', 2 * count]);
    }
    expect(await differences(client, simulator.shop)).toEqual([]);
    const doubts = await asideText(db, clock.now());
    expect(doubts).toContain('could not be counted: GET /orders: the shop answered 403');
  });
});

test('a count that still fails after an audit is set aside at once, and not only when it fails again', async () => {
  const clock = testClock(NOW);
  await using simulator = makeShopInProcess({ orders: 60, days: 30, now: NOW });
  await inWarehouse(async ({ db }) => {
    let refused = 0;
    const through = refusing(
      ({ payStatus }) => payStatus === 'FP',
      () => refused++,
    );
    const sweep = async (kind: 'backfill' | 'sync') => {
      clock.pass({ minutes: 1 });
      const before = refused;
      const request = kind === 'sync' ? { kind } : { kind, force: true };
      await sweepOnce(simulator, db, request, { countEveryMs: MINUTE }, { now: clock.now, through });
      return refused - before;
    };
    const asked: number[] = [];
    for (const kind of ['backfill', 'sync', 'sync', 'sync', 'backfill', 'sync', 'sync'] as const)
      asked.push(await sweep(kind));
    expect(asked).toEqual([0, 1, 1, 0, 0, 1, 0]);
  });
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

type Counted = {
  readonly simulator: Simulator;
  /** A sync a minute later, that counts: the requests for counts, the facets that are doubted, and why those are set aside. */
  readonly sync: (through?: Means['through']) => Promise<{
    readonly asked: number;
    readonly doubted: readonly string[];
    readonly aside: string;
  }>;
};

/** A shop that is loaded, and counted by each sync. */
async function inCountedShop(work: (counted: Counted) => Promise<void>): Promise<void> {
  const clock = testClock(NOW);
  await using simulator = makeShopInProcess({ orders: 60, days: 30, now: NOW });
  await inWarehouse(async ({ db }) => {
    const lists = watchLists(simulator.requests);
    const sync: Counted['sync'] = async (through = withoutGroups) => {
      clock.pass({ minutes: 1 });
      const before = lists.length;
      const means = { now: clock.now, through };
      await sweepOnce(simulator, db, { kind: 'sync' }, { countEveryMs: MINUTE }, means);
      const state = await readShopState(db, await testedShopId(db));
      return {
        asked: lists.slice(before).filter(({ limit }) => limit === 1).length,
        doubted: (state?.facet_doubts ?? []).map(({ facet }) => facet),
        aside: await asideText(db, clock.now()),
      };
    };
    await sweepOnce(simulator, db, { kind: 'backfill' }, {}, { now: clock.now, through: withoutGroups });
    await work({ simulator, sync });
  });
}

test('where the shop counts all orders twice, one day is asked for until that is set aside', async () => {
  await inCountedShop(async ({ sync }) => {
    const isOfAll = ({ status, payStatus, summFrom }: OrdersQuery) =>
      [status, payStatus, summFrom].every((code) => code === undefined);
    const twice = counting((total, query) => (isOfAll(query) ? 2 * total : total));
    const quiet = await sync();
    expect(await sync(twice)).toMatchObject({ asked: quiet.asked + 1 });
    expect(await sync(twice)).toMatchObject({
      asked: quiet.asked + 1,
      aside: expect.stringMatching(/^all orders: the shop.s filter found \d+ orders? of/),
    });
  });
});

test('a doubt of a count stays until all days are read that it leads to', async () => {
  await inCountedShop(async ({ simulator: { shop }, sync }) => {
    const code = shop.orders()[9]?.status ?? '';
    const [first, second] = [20, 40].map((start) =>
      shop
        .orders()
        .slice(start)
        .find(({ status }) => status !== code),
    );
    const wrong = counting((total, { status }) => (status === code ? total + 1 : total));
    expect((await sync(wrong)).doubted).toEqual([`status ${code}`]);
    for (const order of [first, second]) shop.editOrder(order?.orderId ?? 0, { status: code });
    const twinned = await sync((api) => withTwin(api, String(second?.orderId)));
    expect(twinned.doubted).toContain(`status ${code}`);
    expect((await sync()).doubted).toEqual([]);
  });
});
