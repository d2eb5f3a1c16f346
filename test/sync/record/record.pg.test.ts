/**
 * Some weeks of a few shops: how much each sweep asks for, and how its run ends, as kept in `golden/record.txt`.
 * `npx vitest run sync/record -u` writes it anew; look at the figures before you keep it.
 */
import { expect, test } from 'vitest';

import { parseFreshness } from '../../../src/plan/days/freshness.ts';
import type { SimRequest } from '../../../src/simulator/api/request-log.ts';
import type { Dialect } from '../../../src/simulator/shop/dialect.ts';
import { Random } from '../../../src/simulator/shop/random.ts';
import type { SweepRequest } from '../../../src/sync/sweep/sweep-request.ts';
import { makeShopInProcess } from '../../support/in-process-shop.ts';
import {
  hastyClock,
  inWarehouse,
  type Opened,
  sweepOnce,
  testClock,
  withoutGroups,
} from '../../support/sweep.ts';
import { quiet } from '../hostile/means.ts';
import { change, DAYS, move, ZONE } from './shop-changes.ts';

const STEPS = 10;
const PRESENT = Temporal.Instant.from('2026-03-30T19:40:20Z');
const MINUTE_MS = 60_000;

const LAST_RUN = `
  SELECT concat_ws(' ', kind, status, 'days', days_verified, 'orders', orders_seen, 'new', orders_new, 'changed', orders_changed,
    'missing', orders_missing, 'rejections', rejections, error) AS run
  FROM tested.runs ORDER BY run_id DESC LIMIT 1`;

type Shop = {
  readonly dialect: Partial<Dialect>;
  readonly pageLimit: number;
  readonly countEveryMs: number;
  readonly freshness: string;
};

/** How lists lie is in the record of the walk; here shops differ in what a sweep makes of them. */
const SHOPS: readonly Shop[] = [
  { dialect: {}, pageLimit: 500, countEveryMs: MINUTE_MS, freshness: '2d:1m, 14d:1h, *:1d' },
  { dialect: { contentLines: 2 }, pageLimit: 50, countEveryMs: 0, freshness: '*:6h' },
  {
    dialect: { unknownOrder: 'html', total: 'all' },
    pageLimit: 20,
    countEveryMs: 0,
    freshness: '1d:5m, *:30d',
  },
];
test('sweeps send the recorded requests and end with the recorded results', async () => {
  const lines: string[] = [];
  for (const [index, shop] of SHOPS.entries()) {
    await inWarehouse(async (opened) => void lines.push(...(await live(opened, shop, index))));
  }
  await expect(`${lines.join('\n')}\n`, 'see the head of this test').toMatchFileSnapshot('golden/record.txt');
});

async function live({ client, db }: Opened, shop: Shop, seed: number): Promise<readonly string[]> {
  const random = new Random('sweep record', seed);
  const { dialect, freshness, ...given } = shop;
  const size = { orders: random.between(40, 120), days: DAYS };
  await using simulator = makeShopInProcess({ ...size, seed, now: PRESENT, timezone: ZONE, dialect });
  const clock = testClock(PRESENT);
  const settings = { ...given, freshness: parseFreshness(freshness) };
  const lines = [JSON.stringify({ ...size, ...shop })];
  for (let step = 1; step <= STEPS; step++) {
    const said = step === 1 ? ['first'] : change(random, simulator);
    const wait = random.pick(['PT1M', 'PT20M', 'PT3H', 'PT26H', 'PT170H']);
    if (step > 1) clock.pass(Temporal.Duration.from(wait));
    simulator.shop.tick(clock.now(), { newOrders: random.pick([0, 0, 3]), edits: random.pick([0, 2]) });
    const asked: SimRequest[] = [];
    let lists = 0;
    const cutAfter = random.chance(0.15) ? random.between(1, 10) : Infinity;
    const moveAt = random.chance(0.2) ? random.between(1, 12) : Infinity;
    const off = simulator.requests.onRequest(async (request) => {
      await quiet(db, simulator.requests, request);
      asked.push(request);
      // Nothing else is asked for beside a list.
      if (request.route === 'orders' && ++lists === moveAt) move(random, simulator);
    });
    const request = requestOf(random, clock.now(), () => lists >= cutAfter);
    const means = { now: clock.now, through: withoutGroups, clock: hastyClock(), maxConcurrency: 2 };
    const failed = await sweepOnce(simulator, db, request, settings, means).then(
      () => '',
      (error: unknown) => ` ${String(error)}`,
    );
    off();
    const { rows } = await client.query<{ run: string }>(LAST_RUN);
    const told = `${lists} lists and ${asked.length - lists} others: ${rows[0]?.run}`;
    lines.push(`  ${[wait, ...said, request.kind].join(', ')}: ${told}${failed}`);
  }
  return lines;
}

function requestOf(random: Random, now: Temporal.Instant, mustEnd: () => boolean): SweepRequest {
  const today = now.toZonedDateTimeISO(ZONE).toPlainDate();
  const from = today.subtract({ days: random.between(5, 30) });
  return random.weighted<SweepRequest>([
    [{ kind: 'sync', mustEnd }, 6],
    [{ kind: 'sync', isScheduled: true, mustEnd }, 4],
    [{ kind: 'backfill', force: true, mustEnd }, 2],
    [{ kind: 'backfill', force: true, from, to: from.add({ days: 4 }) }, 1],
    [{ kind: 'backfill', audit: true }, 1],
  ]);
}
