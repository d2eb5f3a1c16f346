/** A day that takes many windows, and sweeps that have time for a few of them each, or are killed. */
import type { Client } from 'pg';
import { expect, test } from 'vitest';

import { parseFreshness } from '../../../src/plan/days/freshness.ts';
import type { Simulator } from '../../../src/simulator/server.ts';
import { Random } from '../../../src/simulator/shop/random.ts';
import { GUEST_OID } from '../../../src/simulator/shop/sim-users.ts';
import { longTest } from '../../support/long-test.ts';
import { sweepOnce, testClock, withoutGroups } from '../../support/sweep.ts';
import { differences } from '../../support/truth.ts';
import { withShop } from '../../support/shop.ts';

const NOW = Temporal.Instant.from('2026-03-20T10:00:00Z');
const HUGE = Temporal.PlainDate.from('2026-03-10');
/** Of that day. */
const ORDERS = 260;
const CAP = 5;
/** Of simulated time, of which a list request takes a second: for a few windows of the day. */
const BUDGET_MS = 15_000;
const ONE_SWEEP_MS = 3_600_000;

type Lab = {
  readonly simulator: Simulator;
  readonly client: Client;
  readonly sweep: (budgetMs?: number, signal?: AbortSignal) => Promise<void>;
  /** When the day was verified, and with how many orders. */
  readonly verdict: () => Promise<{ readonly at: Date | null; readonly orders: number | null } | undefined>;
};

/** A shop whose one day of note takes many windows, with a few quiet days before and after it. */
async function inLab(work: (lab: Lab) => Promise<void>): Promise<void> {
  await withShop({ orders: 0, days: 30, now: NOW, pageCap: CAP }, async ({ client, db, simulator }) => {
    const random = new Random(7, 'huge day');
    const place = (createdLocal: Temporal.PlainDateTime) =>
      simulator.shop.insertOrder({ buyerOid: GUEST_OID, createdLocal });
    for (const offset of [-12, -3, 4, 10]) place(HUGE.toPlainDateTime('12:00').add({ days: offset }));
    for (let count = 0; count < ORDERS; count++)
      place(HUGE.toPlainDateTime().add({ seconds: random.below(86_400) }));
    const clock = testClock(NOW);
    simulator.requests.onRequest(({ route }) => {
      if (route === 'orders') clock.pass({ seconds: 1 });
    });
    const sweep: Lab['sweep'] = async (budgetMs = BUDGET_MS, signal) => {
      clock.pass({ minutes: 5 });
      const means = { now: clock.now, through: withoutGroups, signal };
      await sweepOnce(
        simulator,
        db,
        { kind: 'sync', budgetMs },
        { freshness: parseFreshness('*:30d') },
        means,
      );
    };
    const verdict: Lab['verdict'] = async () => {
      const { rows } = await client.query<{ at: Date | null; orders: number | null }>(
        'SELECT verified_at AS at, orders_seen AS orders FROM tested.days WHERE day = $1',
        [HUGE.toString()],
      );
      return rows[0];
    };
    await work({ simulator, client, sweep, verdict });
  });
}

/** Sweeps until the day is verified. @returns how many sweeps that took */
async function untilVerified({ sweep, verdict }: Lab, budgetMs?: number): Promise<number> {
  for (let sweeps = 1; sweeps <= 20; sweeps++) {
    await sweep(budgetMs);
    if ((await verdict())?.at != null) return sweeps;
  }
  throw new Error('never verified');
}

test.each([BUDGET_MS, 1])(
  'a time budget of %i ms, which a day is too large for, ends with a day that the ledger shows',
  (budgetMs) =>
    inLab(async (lab) => {
      expect(await untilVerified(lab, budgetMs)).toBeLessThan(8);
      expect(await lab.verdict()).toMatchObject({ orders: ORDERS });
      await lab.sweep(ONE_SWEEP_MS);
      expect(await differences(lab.client, lab.simulator.shop)).toEqual([]);
    }),
);

longTest('a process that is killed repeatedly asks for no content again, and ends', () =>
  inLab(async (lab) => {
    const contents = new Map<string, number>();
    lab.simulator.requests.onRequest(({ route, path }) => {
      if (route === 'order') contents.set(path, (contents.get(path) ?? 0) + 1);
    });
    let kills = 0;
    for (; kills < 40 && (await lab.verdict())?.at == null; kills++) {
      const stop = new AbortController();
      let requests = 0;
      const unlisten = lab.simulator.requests.onRequest(() => {
        if (++requests === 150 + (kills % 7)) stop.abort(new Error('killed'));
      });
      await lab.sweep(Number.POSITIVE_INFINITY, stop.signal).catch(() => undefined);
      unlisten();
    }
    expect(kills).toBeGreaterThan(1);
    expect(await lab.verdict()).toMatchObject({ orders: ORDERS });
    const again = [...contents.values()].filter((times) => times > 1).length;
    // What is on its way when the process ends.
    expect(again).toBeLessThan(kills * 20);
    expect(await differences(lab.client, lab.simulator.shop)).toEqual([]);
  }),
);

test('an order placed in a part of a day that was already read is found by later sweeps', () =>
  inLab(async (lab) => {
    const { shop, requests } = lab.simulator;
    let placed: number | undefined;
    requests.onRequest(({ route, query }) => {
      if (route !== 'orders' || query['date_to']?.startsWith('10-03-2026 1') !== true) return;
      placed ??= shop.insertOrder({
        buyerOid: GUEST_OID,
        createdLocal: HUGE.toPlainDateTime('23:58'),
      }).orderId;
    });
    await lab.sweep(ONE_SWEEP_MS);
    expect(placed).toBeDefined();
    // It is verified as of the first of its windows, before the order was placed.
    expect(await lab.verdict()).toMatchObject({ orders: ORDERS });
    await lab.sweep(ONE_SWEEP_MS);
    expect(await differences(lab.client, shop)).toEqual([]);
  }));
