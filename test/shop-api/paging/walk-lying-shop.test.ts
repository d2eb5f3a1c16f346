/** Shops that cut, repeat, lose and invent, and move while they are read: what is called whole must be whole. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { unknownProfile } from '../../../src/shop-api/paging/request-page.ts';
import { Random } from '../../../src/simulator/shop/random.ts';
import type { FinalReading } from '../../../src/shop-api/paging/reading.ts';
import { EVER, isBefore } from '../../../src/model/window.ts';
import { type FakeOrder, FakeShop, type FakeTraits, secondsOf } from './fake-shop.ts';
import { readAll } from './read-all.ts';

const DAYS = { from: '2026-03-02', to: '2026-03-06' };
const FIRST = secondsOf('2026-03-01');
const CROWD = secondsOf('2026-03-04T12:34');

type Lies = FakeTraits & {
  /** The share of requests before which orders come or go. */
  readonly unrest: number;
};

const lies: fc.Arbitrary<Lies> = fc
  .record({
    cap: fc.oneof(fc.integer({ min: 3, max: 25 }), fc.constant(Infinity)),
    sort: fc.constantFrom('desc', 'asc', 'id', 'shuffled'),
    total: fc.constantFrom('matches', 'all', 'page', 'random', 'absent'),
    dateFrom: fc.constantFrom('inclusive', 'exclusive'),
    precision: fc.constantFrom('second', 'second', 'minute', 'day'),
    isKeyed: fc.constantFrom(false, false, true),
    pages: fc.constantFrom('whole', 'whole', 'random', 'bytes', 'repeats'),
    falseEmpties: fc.constantFrom(0, 0, 0.05, 0.2),
    ignoresStart: fc.constantFrom(false, false, false, true),
    clampsStart: fc.constantFrom(false, false, false, true),
    endsAt: fc.option(fc.integer({ min: 25, max: 45 }), { nil: undefined, freq: 2 }),
    unrest: fc.constantFrom(0, 0, 0.05, 0.3),
    seed: fc.nat(),
  })
  // What cannot be checked is assumed, see "What is assumed" in docs/architecture.md.
  .filter(
    ({ endsAt, sort, total, precision }) =>
      endsAt === undefined || (precision !== 'day' && (sort === 'desc' || total === 'matches')),
  )
  .filter(({ ignoresStart, pages }) => !ignoresStart || pages !== 'random');

const orders = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: fc.integer({ min: 0, max: 7 * 86_400 }).map((second) => FIRST + second) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 59 }).map((second) => CROWD + second) },
    ),
    { minLength: 1, maxLength: 80, size: 'max' },
  )
  .map((created) => created.map((second, index): FakeOrder => ({ id: 1000 + index, created: second })));

/** Orders are placed and deleted, mostly at the ends of the list. */
function unrestIn(random: Random, share: number): (shop: FakeShop) => void {
  let nextId = 5000;
  return (shop) => {
    if (!random.chance(share)) return;
    const created = random.pick([CROWD + 30, FIRST + random.between(0, 7 * 86_400)]);
    if (shop.orders.length < 3 || random.chance(0.5)) shop.insert({ id: nextId++, created });
    else shop.remove(random.pick([shop.orders.at(0), shop.orders.at(-1), random.pick(shop.orders)])?.id ?? 0);
  };
}

/** How often each kind of shop was read, and how often that ended in a window that held orders and was whole. */
const met = new Map<string, { read: number; whole: number }>();

function count(shop: FakeShop, { unrest }: Lies, readings: readonly FinalReading[]): void {
  const { traits } = shop;
  const kinds = [
    traits.cap !== Infinity && 'a cap',
    traits.pages !== 'whole' && `${traits.pages} pages`,
    (traits.falseEmpties ?? 0) > 0 && 'false empties',
    unrest > 0 && 'unrest',
    traits.ignoresStart === true && 'an ignored start',
    traits.clampsStart === true && 'a clamped start',
    traits.endsAt !== undefined && shop.orders.length > traits.endsAt && 'an end at a position',
    traits.isKeyed === true && 'keyed pages',
    `total: ${traits.total}`,
    `sorted ${traits.sort}`,
  ];
  const isWhole = readings.some((reading) => reading.kind === 'whole' && reading.rows.length > 1);
  for (const kind of kinds) {
    if (kind === false) continue;
    const { read, whole } = met.get(kind) ?? { read: 0, whole: 0 };
    met.set(kind, { read: read + 1, whole: whole + (isWhole ? 1 : 0) });
  }
}

function expectSound(shop: FakeShop, all: readonly FakeOrder[], readings: readonly FinalReading[]): void {
  const left = new Set(shop.orders.map(({ id }) => id));
  let before = EVER.to;
  const stayed = all.filter(({ id }) => left.has(id));
  for (const reading of readings) {
    if (reading.kind === 'unproven') continue;
    expect(isBefore(before, reading.window.to), 'no time is read twice').toBe(false);
    before = reading.window.from;
    const [from, to] = [secondsOf(reading.window.from), secondsOf(reading.window.to)];
    const isOwn = ({ created }: FakeOrder) => created >= from && created < to;
    const found = new Set(reading.rows.map(({ orderId }) => Number(orderId)));
    expect(found.size, 'each order once').toBe(reading.rows.length);
    expect(
      stayed.flatMap((order) => (isOwn(order) && !found.has(order.id) ? [order.id] : [])),
      'none is lost',
    ).toEqual([]);
    expect(
      all.flatMap((order) => (!isOwn(order) && found.has(order.id) ? [order.id] : [])),
      'none is of another window',
    ).toEqual([]);
  }
}

test('whatever a shop does, no order that stays is lost from a window that is called whole', async () => {
  await fc.assert(
    fc.asyncProperty(lies, orders, async (traits, all) => {
      const move = unrestIn(new Random('lying shop', traits.seed ?? 0), traits.unrest);
      const shop = new FakeShop(all, { ...traits, mostRequests: 3000, before: move });
      const { readings } = await readAll(shop, { ...DAYS, profile: unknownProfile(500) });
      expectSound(shop, all, readings);
      count(shop, traits, readings);
    }),
    { numRuns: Number(process.env['WALK_RUNS'] ?? 150), endOnFailure: true, verbose: 0 },
  );
});

const KINDS = [
  ['a cap', 'random pages', 'bytes pages', 'repeats pages', 'keyed pages', 'false empties', 'unrest'],
  ['an ignored start', 'a clamped start', 'an end at a position'],
  ['total: matches', 'total: all', 'total: page', 'total: random', 'total: absent'],
  ['sorted desc', 'sorted asc', 'sorted id', 'sorted shuffled'],
].flat();

test('shops of each kind were read, and often enough with a window that was whole', () => {
  expect([...met.keys()].toSorted()).toEqual(KINDS.toSorted());
  for (const [kind, { whole }] of met) {
    // Of these no row but the first ones can be asked for.
    if (kind === 'an ignored start') expect(whole).toBe(0);
    else expect(whole, kind).toBeGreaterThanOrEqual(5);
  }
});
