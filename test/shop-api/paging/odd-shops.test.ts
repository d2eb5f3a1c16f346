/**
 * Some hundred odd shops of random traits, many of which nobody has: what is read of them is never called whole wrongly, and
 * as many of their days are proven as were when this was written.
 */
import { expect, test } from 'vitest';

import { unknownProfile } from '../../../src/shop-api/paging/request-page.ts';
import type { FinalReading } from '../../../src/shop-api/paging/reading.ts';
import { isInWindow } from '../../../src/model/window.ts';
import { Random } from '../../../src/simulator/shop/random.ts';
import { IS_LONG } from '../../support/long.ts';
import type { FakeOrder, FakeTraits } from './fake-shop.ts';
import { FakeShop, secondsOf, timeOf } from './fake-shop.ts';
import { MovingList } from './moving-list.ts';
import { readAll } from './read-all.ts';

const SHOPS = IS_LONG ? 1500 : 250;
const FIRST = secondsOf('2026-03-01T00:00');
const DAY = 86_400;
const STARTS = ['ignored', 'from-one', 'tens', 'pages', 'full-page', 'last-row'] as const;
const DAYS = { from: '2026-03-02', to: '2026-03-20' };

test('of odd shops no window is called whole wrongly, and most days of those that can be read are proven', async ({
  annotate,
}) => {
  const wrong: string[] = [];
  let [days, requests] = [0, 0];
  for (let seed = 1; seed <= SHOPS; seed++) {
    const read = await readShop(seed);
    wrong.push(...read.wrong.map((what) => `${seed}: ${what}`));
    days += read.days;
    requests += read.requests;
  }
  await annotate(`${days / SHOPS} days and ${requests / SHOPS} list requests a shop`);
  expect(wrong).toEqual([]);
  expect(days / SHOPS).toBeGreaterThan(9.5);
  expect(requests / SHOPS).toBeLessThan(150);
});

/** Reads nineteen days of a shop. */
async function readShop(seed: number) {
  const random = new Random('record', seed);
  const [traits, orders] = [traitsOf(random), ordersOf(random)];
  const drift = random.chance(0.25) ? random.between(1, 20) : 0;
  const moving = drift > 0 ? new MovingList({ orders, traits, drift, seed }) : undefined;
  const shop = moving?.shop ?? new FakeShop(orders, { ...traits, seed });
  const now = moving?.now ?? (() => Temporal.Instant.from('2026-03-20T12:00:00Z'));
  const isOpen = random.chance(0.5);
  const profile = unknownProfile(random.between(20, 500));
  const found = { days: 0, wrong: [] as string[] };
  // No date selects an order that has none, and of two that share an identifier none is taken.
  const ids = Map.groupBy(orders, ({ id }) => id);
  const unread = new Set(
    orders
      .filter(({ id, hasNoDate }) => hasNoDate === true || (ids.get(id)?.length ?? 0) > 1)
      .map(({ id }) => id),
  );
  const judge = (reading: FinalReading) => {
    if (reading.kind !== 'whole') return true;
    const lost = moving?.judge(reading) ?? findLost(orders, reading);
    found.wrong.push(...lost.filter((what) => !unread.has(Number.parseInt(what, 10))));
    const until =
      reading.window.to.year > 3000
        ? Temporal.PlainDateTime.from(DAYS.to).add({ days: 1 })
        : reading.window.to;
    found.days += Math.max(0, reading.window.from.until(until, { largestUnit: 'hours' }).total('hours') / 24);
    return true;
  };
  // Some refuse, or are asked too often.
  await readAll(shop, { ...DAYS, isOpen, profile, now }, judge).catch(() => undefined);
  return { ...found, requests: shop.requests };
}

/** Orders that show a time of a window, and that it lacks. */
function findLost(
  orders: readonly FakeOrder[],
  { window, rows, omitted = [] }: Extract<FinalReading, { kind: 'whole' }>,
) {
  const known = new Set([...rows, ...omitted].map(({ orderId }) => Number(orderId)));
  const own = orders.filter(({ created, shown = created }) => isInWindow(window, timeOf(shown)));
  return own.flatMap(({ id }) => (known.has(id) ? [] : [`${id} is lost`]));
}

function traitsOf(random: Random): FakeTraits {
  const rarely = <Value>(share: number, value: () => Value) => (random.chance(share) ? value() : undefined);
  const given = {
    cap: rarely(0.8, () => random.between(3, 25)),
    listOrder: rarely(0.6, () => random.pick(['asc', 'id-desc', 'shuffled', 'changing'] as const)),
    total: rarely(0.6, () => random.pick(['served', 'all', 'page', 'random', 'absent'] as const)),
    dateFrom: rarely(0.2, () => 'exclusive' as const),
    dateTo: rarely(0.3, () => 'exclusive' as const),
    datePrecision: rarely(0.3, () => random.pick(['minute', 'day'] as const)),
    dateEnds: rarely(0.2, () => 'both' as const),
    filterHours: rarely(0.2, () => random.pick([-3, 11])),
    pages: rarely(0.2, () => random.pick(['random', 'bytes', 'repeats'] as const)),
    reach: rarely(0.1, () => random.between(20, 60)),
    falseEmpties: rarely(0.1, () => 10),
    start: rarely(0.25, () => random.pick(STARTS)),
    undatedDays: rarely(0.1, () => random.between(2, 15)),
    openDays: rarely(0.1, () => random.between(2, 15)),
    mostDays: rarely(0.1, () => random.between(20, 40)),
    clockBack: rarely(0.1, () => FIRST + 10 * DAY + 45_000),
    dateFilter: rarely(0.12, () => random.pick(['updated', 'ignored'] as const)),
    failsAt: rarely(0.15, () =>
      random.pick([
        { ids: Array.from({ length: random.between(1, 5) }, () => 1000 + random.below(127)) },
        { ids: [1000 + random.below(60)] },
        { limit: random.between(5, 100) },
        { days: random.between(3, 30) },
        { start: random.between(5, 40) },
      ]),
    ),
    listsTwice: rarely(0.06, () => 1000 + random.below(40)),
    awayFrom: rarely(0.03, () => random.between(5, 40)),
    orders: rarely(0.2, () => 'object' as const),
    mostRequests: 400,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** Many of them in few minutes, some changed much later than they were placed. */
function ordersOf(random: Random): readonly FakeOrder[] {
  const count = random.pick([0, 1, 2, 5, 30, 60, 90, 120]);
  const [isOddShown, isShared] = [random.chance(0.2), random.chance(0.05)];
  return Array.from({ length: count }, (_, index) => {
    const created =
      FIRST +
      random.weighted([
        [random.below(21 * DAY), 3],
        [10 * DAY + 45_000 + random.below(60), 2],
        [random.between(2, 5) * DAY, 1],
      ]);
    return {
      id: isShared && random.chance(0.06) ? 1000 : 1000 + ((index * 37) % 127),
      created,
      ...(random.chance(0.5) && { updated: created + random.below(12 * DAY) }),
      ...(isOddShown && random.chance(0.05) && { shown: created + random.between(-2, 2) * 3600 }),
      ...(isOddShown && random.chance(0.03) && { hasNoDate: true }),
    };
  });
}
