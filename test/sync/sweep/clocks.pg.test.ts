import { expect, test } from 'vitest';

import { createShopApi } from '../../../src/shop-api/shop-api.ts';
import { makeShopInProcess, poolTo } from '../../support/in-process-shop.ts';
import { listedClockWarning } from '../../../src/sync/sweep/clock-warning.ts';
import { readShopReports } from '../../../src/sync/report/shop-report.ts';
import { DEFAULT_FRESHNESS, parseFreshness } from '../../../src/plan/freshness.ts';
import { inWarehouse, sweepOnce, testClock, withoutGroups } from '../../support/sweep.ts';

const PRESENT = Temporal.Instant.from('2026-03-10T08:00:00Z');
const NEVER = new AbortController().signal;

test.each([
  {
    configured: 'Europe/Berlin',
    warning: /^SHOP_TIMEZONE is Europe\/Berlin, but the newest order is 9 h ahead; Asia\/Vladivostok/,
  },
  { configured: 'Asia/Vladivostok', warning: undefined },
])(
  'a shop in Vladivostok configured as $configured gets the right time zone warning',
  async ({ configured, warning }) => {
    await using simulator = makeShopInProcess({
      orders: 20,
      days: 4,
      seed: 3,
      timezone: 'Asia/Vladivostok',
      now: PRESENT,
    });
    const { shop } = simulator;
    shop.insertOrder({ createdLocal: PRESENT.toZonedDateTimeISO('Asia/Vladivostok').toPlainDateTime() });
    // Dated by hand, which is no fault of a clock.
    shop.insertOrder({ createdLocal: Temporal.PlainDateTime.from('2099-01-01T10:00') });
    const expected = warning === undefined ? [] : [expect.stringMatching(warning)];
    await inWarehouse(async ({ db }) => {
      const clock = testClock(PRESENT);
      const means = { now: clock.now, through: withoutGroups };
      const settings = { timezone: configured };
      const first = await sweepOnce(simulator, db, { kind: 'backfill' }, settings, means);
      expect(first).toMatchObject({ status: 'ok', warnings: expected });
      // What was seen once is told for as long as nothing newer says otherwise.
      clock.pass({ hours: 12 });
      expect(await sweepOnce(simulator, db, { kind: 'sync' }, settings, means)).toMatchObject({
        warnings: expected,
      });
      const policy = parseFreshness(DEFAULT_FRESHNESS);
      const [report] = await readShopReports(db, () => policy, clock.now());
      expect([report?.clockWarning].filter((text) => text !== undefined)).toEqual(expected);
    });
    const api = createShopApi({
      baseUrl: simulator.url,
      pool: poolTo(simulator.url),
      login: 'admin',
      apiKey: 'simulated-key',
      maxRps: 100_000,
    });
    const listed = await listedClockWarning(api, { timezone: configured, pageLimit: 500 }, PRESENT, NEVER);
    expect([listed].filter((text) => text !== undefined)).toEqual(expected);
  },
);

test('a pause recorded by a clock that ran ahead delays no sweep', async () => {
  await using simulator = makeShopInProcess({ orders: 5, days: 2, seed: 3, now: PRESENT });
  await inWarehouse(async ({ client, db }) => {
    const clock = testClock(PRESENT);
    const means = { now: clock.now, through: withoutGroups };
    const sweep = () => sweepOnce(simulator, db, { kind: 'backfill', force: true }, {}, means);
    expect(await sweep()).toMatchObject({ status: 'ok' });
    const pause = (until: string) => client.query('UPDATE tested.shop_state SET paused_until = $1', [until]);
    await pause('2026-03-10T08:30:00Z');
    expect(await sweep()).toMatchObject({ status: 'partial', counts: { requests: 0 } });
    await pause('2027-03-10T08:30:00Z');
    expect(await sweep()).toMatchObject({ status: 'ok' });
  });
});
