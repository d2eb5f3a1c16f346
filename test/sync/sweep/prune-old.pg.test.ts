import { expect, test } from 'vitest';

import { PRESENT, withShop } from '../../support/shop.ts';
import { FORCED } from '../support/copy.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

test('runs are removed after their retention time, at most once an hour, and payloads without one stay', () =>
  withShop({ orders: 5, days: 3, seed: 5 }, async ({ client, clock, ...ground }) => {
    const sweep = (runsKeptMs?: number) => ground.sweep(FORCED, {}, { runsKeptMs });
    const age = () => client.query(`UPDATE tested.runs SET started_at = '2026-01-01'`);
    const kept = async () => {
      const { rows } = await client.query(`
        SELECT (SELECT count(*)::int FROM tested.runs WHERE started_at = '2026-01-01') AS old,
          (SELECT count(*)::int FROM tested.raw_orders) AS payloads`);
      return rows[0];
    };
    await sweep();
    await age();
    await sweep();
    expect(await kept(), 'without a limit').toEqual({ old: 1, payloads: 5 });
    await sweep(HOUR_MS);
    expect(await kept()).toEqual({ old: 0, payloads: 5 });
    await age();
    clock.pass({ minutes: 59 });
    await sweep(HOUR_MS);
    expect(await kept(), 'too soon').toEqual({ old: 2, payloads: 5 });
    clock.pass({ minutes: 1 });
    await sweep(HOUR_MS);
    expect(await kept()).toEqual({ old: 0, payloads: 5 });
  }));

test.each([
  ['payloads', { runsKeptMs: 90 * DAY_MS, rawKeptMs: DAY_MS }, { old: 1, payloads: 0 }],
  ['runs', { runsKeptMs: DAY_MS, rawKeptMs: 90 * DAY_MS }, { old: 0, payloads: 5 }],
])('if %s are kept for a day, the others stay', (_what, limits, left) =>
  withShop({ orders: 5, days: 3, seed: 5 }, async ({ client, clock, sweep }) => {
    await sweep(FORCED, {}, limits);
    const began = PRESENT.toString();
    await client.query('UPDATE tested.runs SET started_at = $1', [began]);
    clock.pass({ hours: 30 });
    // The last sweep that ended stays until there is another one.
    await sweep(FORCED, {}, limits);
    clock.pass({ hours: 1 });
    await sweep(FORCED, {}, limits);
    const { rows } = await client.query(
      `SELECT (SELECT count(*)::int FROM tested.runs WHERE started_at = $1) AS old,
         (SELECT count(*)::int FROM tested.raw_orders WHERE fetched_at < $2) AS payloads`,
      [began, clock.now().subtract({ hours: 24 }).toString()],
    );
    expect(rows).toEqual([left]);
  }),
);
