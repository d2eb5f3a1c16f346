/**
 * What some hundred odd shops are asked for, and what is read of them, as kept in `golden/record.txt`: a change of the walk
 * that proves the same by other requests shows there, and nowhere else. `npx vitest run paging/record -u` writes it anew;
 * look at the numbers of requests before you keep it.
 */
import { createHash } from 'node:crypto';

import { expect, test } from 'vitest';

import { unknownProfile } from '../../../src/shop-api/paging/page-profile.ts';
import type { FinalReading } from '../../../src/shop-api/paging/window-reading.ts';
import { Random } from '../../../src/simulator/shop/random.ts';
import type { FakeOrder, FakeTraits } from './fake-shop.ts';
import { FakeShop, secondsOf } from './fake-shop.ts';
import { MovingList } from './moving-list.ts';
import { ascending, readAll } from './read-all.ts';
import { readWhole } from './whole-list.ts';

const SHOPS = 250;
const FIRST = secondsOf('2026-03-01T00:00');
const DAY = 86_400;

test('odd shops are asked for what they always were, and it is read as it always was', async () => {
  const lines: string[] = [];
  for (let seed = 1; seed <= SHOPS; seed++) lines.push(...(await recordOf(seed)));
  await expect(`${lines.join('\n')}\n`, 'see the head of this test').toMatchFileSnapshot('golden/record.txt');
});

/** What it is like; and a line for the windows of three weeks, for the same once more, and for the whole list. */
async function recordOf(seed: number): Promise<readonly string[]> {
  const random = new Random('record', seed);
  const [traits, orders] = [traitsOf(random), ordersOf(random)];
  const drift = random.chance(0.25) ? random.between(1, 20) : 0;
  const shop =
    drift > 0
      ? new MovingList({ orders, traits, drift, seed }).shop
      : new FakeShop(orders, { ...traits, seed });
  const days = {
    from: '2026-03-02',
    to: '2026-03-20',
    isOpen: random.chance(0.5),
    confirmsEnds: random.chance(0.3),
    now: () => Temporal.Instant.from('2026-03-20T12:00:00Z'),
  };
  let profile = unknownProfile(random.between(20, 500));
  const windows = async (expected: ReadonlyMap<string, number>) => {
    const read = await readAll(shop, { ...days, profile: structuredClone(profile), expected });
    profile = read.profile;
    return { read: read.readings.map(shown), seen: ascending(read.seen), profile };
  };
  const ledger = random.chance(0.6) ? countDays(orders) : new Map<string, number>();
  return [
    `${seed}: ${orders.length} orders, ${JSON.stringify({ ...traits, drift })}`,
    `  windows: ${await asked(shop, () => windows(new Map()))}`,
    `  again: ${await asked(shop, () => windows(ledger))}`,
    `  list: ${await asked(shop, () => readWhole(shop, { held: orders.length }))}`,
  ];
}

/** All but when it was read. */
function shown(reading: FinalReading) {
  const { kind, window } = reading;
  const span = `${window.from.toString()} ${window.to.toString()}`;
  if (kind === 'unproven') return [kind, span, reading.reason];
  return [
    kind,
    span,
    reading.rows.map(({ orderId }) => orderId),
    reading.lacking?.map(({ orderId }) => orderId),
  ];
}

/** The number of requests, and a digest of them and of what came of them. */
async function asked(shop: FakeShop, read: () => Promise<object>): Promise<string> {
  const before = shop.requests;
  const found = await read().catch((error: unknown) => String(error));
  const queries = shop.queries.slice(before);
  const digest = createHash('sha256')
    .update(JSON.stringify([queries, found]))
    .digest('hex')
    .slice(0, 8);
  return `${queries.length} requests, ${digest}${typeof found === 'string' ? `, ${found}` : ''}`;
}

function traitsOf(random: Random): FakeTraits {
  const rarely = <Value>(share: number, value: () => Value) => (random.chance(share) ? value() : undefined);
  const given = {
    cap: rarely(0.8, () => random.between(3, 25)),
    sort: rarely(0.6, () => random.pick(['asc', 'id', 'shuffled', 'another each time'] as const)),
    total: rarely(0.6, () => random.pick(['served', 'all', 'page', 'random', 'absent'] as const)),
    dateFrom: rarely(0.2, () => 'exclusive' as const),
    dateTo: rarely(0.3, () => 'exclusive' as const),
    precision: rarely(0.3, () => random.pick(['minute', 'day'] as const)),
    wantsBothDates: rarely(0.2, () => true),
    shiftHours: rarely(0.2, () => random.pick([3, -11])),
    pages: rarely(0.2, () => random.pick(['random', 'bytes', 'repeats'] as const)),
    fewest: rarely(0.1, () => 1),
    reach: rarely(0.05, () => random.between(10, 40)),
    falseEmpties: rarely(0.1, () => 0.1),
    ignoresStart: rarely(0.06, () => true),
    clampsStart: rarely(0.06, () => true),
    startsAt: rarely(0.15, () => random.pick(['one', 'tens', 'pages', 'full page'] as const)),
    undatedDays: rarely(0.1, () => random.between(2, 15)),
    openDays: rarely(0.1, () => random.between(2, 15)),
    knowsNoEpoch: rarely(0.1, () => true),
    archivedBefore: rarely(0.06, () => FIRST + 6 * DAY),
    mostDays: rarely(0.1, () => random.between(3, 12)),
    clockBack: rarely(0.1, () => FIRST + 10 * DAY + 45_000),
    filter: rarely(0.06, () => 'updated' as const),
    endsAt: rarely(0.06, () => random.between(5, 60)),
    ignoresDates: rarely(0.06, () => true),
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
    isKeyed: rarely(0.2, () => true),
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

/** As a ledger has them, for most days. */
function countDays(orders: readonly FakeOrder[]): ReadonlyMap<string, number> {
  const days = Map.groupBy(orders, ({ created }) => new Date(created * 1000).toISOString().slice(0, 10));
  return new Map([...days].map(([day, { length }]) => [day, length]));
}
