import { expect, test } from 'vitest';

import { clockSkewText } from '../../../../src/plan/clock/clock-skew.ts';
import { parseFreshness } from '../../../../src/plan/days/freshness.ts';
import { readShopReports } from '../../../../src/sync/report/shop-report.ts';
import { heldClockWarning, listedClockSkew } from '../../../../src/sync/sweep/clock-warning.ts';
import { FORCED, openShop } from '../../../support/shop.ts';
import { clientOf, testedShopId } from '../../../support/sweep.ts';

const PRESENT = Temporal.Instant.from('2026-03-10T08:00:00Z');
const NEVER = new AbortController().signal;

test.each([
  {
    configured: 'Europe/Berlin',
    warning:
      /^the time zone is set to Europe\/Berlin, but the newest order is 9 h ahead; the shop's zone is UTC\+10:00 or/,
  },
  { configured: 'Asia/Vladivostok', warning: undefined },
])(
  'a shop in Vladivostok configured as $configured gets the right time zone warning',
  async ({ configured, warning }) => {
    const timezone = 'Asia/Vladivostok';
    const options = { orders: 20, days: 4, seed: 3, timezone, now: PRESENT };
    const { client, clock, db, shop, simulator, sweep } = await openShop(options);
    shop.insertOrder({ createdLocal: PRESENT.toZonedDateTimeISO(timezone).toPlainDateTime() });
    // Dated by hand, which is no fault of a clock.
    shop.insertOrder({ createdLocal: Temporal.PlainDateTime.from('2099-01-01T10:00') });
    const expected = warning === undefined ? [] : [expect.stringMatching(warning)];
    const settings = { timezone: configured };
    const first = await sweep({ kind: 'backfill' }, settings);
    expect(first).toMatchObject({ status: 'ok', warnings: expected });
    // What was seen once is told for as long as nothing newer says otherwise.
    clock.pass({ hours: 12 });
    expect(await sweep({ kind: 'sync' }, settings)).toMatchObject({ warnings: expected });
    const reported = async () => {
      const [report] = await readShopReports(db, clock.now());
      return report?.status.clock_warning;
    };
    expect([await reported()].filter((text) => text !== null)).toEqual(expected);
    // Deleted orders say nothing any more.
    await client.query(
      `UPDATE tested.orders SET missing_since = now(), deleted_at = now() WHERE created_local > '2026-03-10T09:00'`,
    );
    expect(await heldClockWarning(db, await testedShopId(db), configured, clock.now())).toBe(undefined);
    // And the status says it no longer.
    expect(await sweep({ kind: 'sync' }, settings)).toMatchObject({ warnings: [] });
    expect(await reported()).toBe(null);
    const skew = await listedClockSkew(
      clientOf(simulator),
      { timezone: configured, pageLimit: 500 },
      PRESENT,
      NEVER,
    );
    expect(skew ? [clockSkewText(skew, configured)] : []).toEqual(expected);
  },
);

const PAUSE = `UPDATE tested.shop_state SET memory = memory || jsonb_build_object('pausedUntil', $1::text)`;

test('a pause recorded by a clock that ran ahead delays no sweep', async () => {
  const { client, ...ground } = await openShop({ orders: 5, days: 2, seed: 3, now: PRESENT });
  const sweep = () => ground.sweep(FORCED);
  expect(await sweep()).toMatchObject({ status: 'ok' });
  const pause = (until: string) => client.query(PAUSE, [until]);
  await pause('2026-03-10T08:30:00Z');
  expect(await sweep()).toMatchObject({ status: 'partial', requests: 0 });
  await pause('2027-03-10T08:30:00Z');
  expect(await sweep()).toMatchObject({ status: 'ok' });
});

test.each([{ minutes: 5 }, { hours: 3 }])(
  'times written by a clock that was %o ahead delay nothing once it is corrected',
  async (ahead) => {
    const { client, clock, rows, sweep } = await openShop({ orders: 20, days: 3, seed: 3, now: PRESENT });
    clock.pass(ahead);
    const settings = { usersMaxAgeMs: 60_000, groupsMaxAgeMs: 60_000 };
    const sync = () => sweep({ kind: 'sync', isScheduled: true }, settings, { through: (api) => api });
    const first = await sync();
    expect(first).toMatchObject({ status: 'ok' });
    const written = clock.now().add({ seconds: 50 }).toString();
    await client.query(PAUSE, [written]);
    await client.query(
      `UPDATE tested.days SET verified_at = NULL, attempts = 1, last_error = 'odd', retry_at = $1`,
      [written],
    );
    await client.query(
      `UPDATE tested.orders SET lines_state = 'failed', lines_attempts = 1
         WHERE order_id = (SELECT min(order_id) FROM tested.orders)`,
    );
    await client.query(
      `INSERT INTO ops.due (shop_id, kind, key, due_at, attempts, reason)
         SELECT shop_id, 'lines', order_id, $1, 1, 'refused' FROM tested.orders WHERE lines_state = 'failed'`,
      [written],
    );
    clock.pass({ minutes: -Temporal.Duration.from(ahead).total('minutes') });
    const [{ days }] = await rows('SELECT count(*)::int AS days FROM tested.days');
    const { status, days_verified, user_requests, content_requests } = await sync();
    expect({ status, days: days_verified, users: user_requests, content: content_requests }).toEqual({
      status: 'ok',
      days,
      users: first.user_requests,
      content: 1,
    });
  },
);

test('a day that a clock running ahead verified is due for sweeps, reports and views, and is verified anew', async () => {
  const made = { orders: 20, days: 5, seed: 3, now: PRESENT };
  const { client, clock, db, rows, shop, sweep } = await openShop(made);
  const policy = parseFreshness('*:99999d');
  const sync = () => sweep({ kind: 'sync' }, { freshness: policy });
  const due = async () => {
    const [report] = await readShopReports(db, clock.now());
    const view = await rows(
      `SELECT day::text FROM bi.completeness WHERE shop = 'test' AND is_due ORDER BY day`,
    );
    return { report: report?.status.days_due, view: view.map(({ day }) => day) };
  };
  expect(await sync()).toMatchObject({ status: 'ok' });
  const before = await due();
  clock.pass({ minutes: 1 });
  expect(await sync()).toMatchObject({ requests: 0, days_verified: 0 });
  const day = shop.orders()[10]?.createdLocal.toPlainDate().toString() ?? '';
  await client.query(`UPDATE tested.days SET verified_at = '2099-01-01' WHERE day = $1`, [day]);
  expect(await due()).toEqual({
    report: (before.report ?? 0) + 1,
    view: expect.arrayContaining([...before.view, day]),
  });
  expect(await sync()).toMatchObject({ status: 'ok', days_verified: 1 });
  expect(await due()).toEqual(before);
  expect(await rows('SELECT verified_at FROM tested.days WHERE day = $1', day)).toEqual([
    { verified_at: new Date(clock.now().epochMilliseconds) },
  ]);
});
