import { expect, test } from 'vitest';

import type { OrdersQuery } from '../../../src/shop-api/endpoints/list-orders.ts';
import { proveWindow } from '../../../src/shop-api/paging/prove.ts';
import { Random } from '../../../src/simulator/shop/random.ts';
import { type FakeOrder, FakeShop, type FakeTraits, secondsOf } from './fake-shop.ts';
import { asked, knownAt, pagingDeps, readOne } from './read-one.ts';
import { ascending } from './read-all.ts';
import { IS_LONG } from '../../support/long.ts';

const MINUTE = { from: '2026-03-10T12:34', to: '2026-03-10T12:35' };
const START = secondsOf(MINUTE.from);
/** Orders on both sides of the minute, so that an answer can reach beyond it; they may vanish like all others. */
const AROUND = ['2026-03-10T08:00', '2026-03-10T09:00', '2026-03-10T16:00', '2026-03-10T17:00'];
const SORTS: readonly NonNullable<FakeTraits['listOrder']>[] = ['desc', 'asc', 'id-desc', 'shuffled'];

/** Moves the shop before a request: rows come or go, mostly at the front and the back of the list. */
class Unrest {
  readonly #random: Random;
  readonly #share: number;
  #nextId = 100_000;

  constructor(random: Random) {
    this.#random = random;
    // From now and then to each request.
    this.#share = random.pick([0.05, 0.1, 0.3, 1]);
  }

  readonly move = (shop: FakeShop): void => {
    const random = this.#random;
    if (!random.chance(this.#share)) return;
    for (let moves = random.between(1, 2); moves > 0; moves--) {
      const second = random.pick([0, 59, random.between(1, 58)]);
      if (random.chance(0.5) || shop.orders.length < 4)
        shop.insert({ id: this.#idOf(), created: START + second });
      else
        shop.remove(random.pick([shop.orders.at(0), shop.orders.at(-1), random.pick(shop.orders)])?.id ?? 0);
    }
  };

  #idOf(): number {
    this.#nextId += 1;
    return this.#random.pick([this.#nextId, -this.#nextId]) + 200_000;
  }
}

function restlessShop(random: Random): FakeShop {
  const size = random.between(8, 60);
  const orders = Array.from({ length: size }, (_, index): FakeOrder => {
    return { id: 150_000 + index, created: START + random.between(0, 59) };
  });
  const around = AROUND.map((time, index) => ({ id: 140_000 + index, created: secondsOf(time) }));
  return new FakeShop([...orders, ...around], {
    cap: random.between(3, 12),
    listOrder: random.pick(SORTS),
    total: random.pick(['matches', 'all', 'absent']),
    orders: random.chance(0.3) ? 'object' : 'array',
    before: new Unrest(random).move,
  });
}

type Walk = (shop: FakeShop) => Promise<readonly string[] | undefined>;

/** Reads pages one after another by the rows received, as one would without a proof. */
const naiveWalk: Walk = async (shop) => {
  const [dateFrom, dateTo] = [
    Temporal.PlainDateTime.from(MINUTE.from),
    Temporal.PlainDateTime.from(MINUTE.to),
  ];
  const ids = new Set<string>();
  for (let start = 0; ;) {
    const query: OrdersQuery = { start, limit: 500, dateFrom, dateTo };
    const page = await shop.listOrders(query);
    if (page.received === 0) return [...ids];
    for (const { orderId } of page.rows) ids.add(orderId);
    start += page.received;
  }
};

const provenWalk: Walk = async (shop) => {
  const reading = await readOne(shop, asked(MINUTE.from, MINUTE.to), knownAt(...AROUND));
  return reading.kind === 'whole' ? reading.rows.map(({ orderId }) => orderId) : undefined;
};

const isInMinute = ({ created }: FakeOrder) => created >= START && created < START + 60;

const WALKS = IS_LONG ? 5_000 : 200;

/** Walks many shops, and counts the walks that called themselves whole, and the orders that those lost. */
async function judge(walk: Walk): Promise<{ whole: number; restless: number; lost: number; twice: number }> {
  const verdict = { whole: 0, restless: 0, lost: 0, twice: 0 };
  for (let seed = 0; seed < WALKS; seed++) {
    const shop = restlessShop(new Random('drift', seed));
    const before = shop.orders.filter(isInMinute).map(({ id }) => id);
    const ids = await walk(shop);
    if (ids === undefined) continue;
    const after = new Set(shop.orders.filter(isInMinute).map(({ id }) => id));
    const found = new Set(ids);
    verdict.whole++;
    if (shop.requests > 2 && after.size !== before.length) verdict.restless++;
    verdict.lost += before.filter((id) => after.has(id) && !found.has(String(id))).length;
    verdict.twice += ids.length - found.size;
  }
  return verdict;
}

test('an order that was there all the while is never lost in a walk that is called whole', async () => {
  const verdict = await judge(provenWalk);
  expect(verdict).toMatchObject({ lost: 0, twice: 0 });
  expect(verdict.whole).toBeGreaterThan(WALKS / 3);
  expect(verdict.restless).toBeGreaterThan(WALKS / 10);
});

test('the same shops make a walk without a proof lose orders', async () => {
  const verdict = await judge(naiveWalk);
  expect(verdict.whole).toBe(WALKS);
  expect(verdict.lost).toBeGreaterThan(WALKS / 10);
});

test.each(['desc', 'asc'] as const)(
  'where a %s list moved while it was read, what the next reading shows counts, and when that began',
  async (listOrder) => {
    const start = secondsOf('2026-03-10T01:00');
    const placed = Array.from({ length: 30 }, (_, index) => ({
      id: index + 1,
      created: start + index * 1800,
    }));
    const around = [-9, -8, 60, 61].map((step, index) => ({ id: 900 + index, created: start + step * 3600 }));
    const [first, moved] = listOrder === 'desc' ? [30, 28] : [1, 3];
    const to = start + 14.6 * 1800;
    const shop = new FakeShop([...placed, ...around], {
      cap: 10,
      listOrder,
      total: 'absent',
      before({ requests }) {
        if (requests !== 2) return;
        // Both came with the first page.
        shop.remove(first);
        shop.remove(moved);
        shop.insert({ id: moved, created: to });
      },
    });
    const began = Temporal.Instant.from('2026-03-20T12:00:00Z');
    const deps = { ...pagingDeps(shop), witnesses: knownAt('2026-03-09T17:00', '2026-03-12T13:00') };
    const now = () => began.add({ seconds: shop.requests });
    const reading = await proveWindow({ ...deps, now }, asked('2026-03-10T00:00', '2026-03-11T00:00'));
    if (reading.kind !== 'whole') throw new Error(`it is ${reading.kind}`);
    const minutes = new Map(reading.rows.map(({ orderId, raw }) => [Number(orderId), raw['time']]));
    expect(ascending(minutes.keys())).toEqual(placed.map(({ id }) => id).filter((id) => id !== first));
    expect(minutes.get(moved)).toBe('08:18');
    expect(reading.askedAt.since(began).total('seconds')).toBeGreaterThanOrEqual(2);
  },
);
