/** A day that takes several windows of one sweep. */
import { setTimeout as sleep } from 'node:timers/promises';

import type { Client } from 'pg';
import { expect, test } from 'vitest';

import { UnavailableError } from '../../../src/model/errors.ts';
import { parseFreshness } from '../../../src/plan/days/freshness.ts';
import { Random } from '../../../src/simulator/shop/random.ts';
import type { Simulator } from '../../../src/simulator/server.ts';
import { GUEST_OID } from '../../../src/simulator/shop/sim-users.ts';
import type { ShopApi } from '../../../src/shop-api/shop-api.ts';
import type { SweepRequest } from '../../../src/sync/sweep/sweep-request.ts';
import { sweepOnce, withoutGroups } from '../../support/sweep.ts';
import { differences } from '../../support/truth.ts';
import { hiding } from '../support/hiding.ts';
import { type ListRequest, watchLists } from '../../support/list-requests.ts';
import { withShop } from '../../support/shop.ts';

const NOW = Temporal.Instant.from('2026-03-20T10:00:00Z');
const DAY = Temporal.PlainDate.from('2026-03-10');
const ORDERS = 120;
const FORCED = { kind: 'backfill', force: true, from: DAY, to: DAY } as const;

type Lab = {
  readonly simulator: Simulator;
  readonly client: Client;
  readonly sweep: (
    through?: (api: ShopApi) => ShopApi,
    mustEnd?: SweepRequest['mustEnd'],
  ) => ReturnType<typeof sweepOnce>;
  readonly lists: readonly ListRequest[];
  /** When the day was verified last, and when the latest sweep began. */
  readonly verdict: () => Promise<{ readonly verifiedAt: string | undefined; readonly began: string }>;
};

/** A shop whose one day takes many windows, and a warehouse that holds it. */
async function inLab(work: (lab: Lab) => Promise<void>): Promise<void> {
  await withShop({ orders: 0, days: 30, now: NOW }, async ({ client, clock, db, simulator }) => {
    const lists = watchLists(simulator.requests);
    const random = new Random(3, 'split day');
    for (let count = 0; count < ORDERS; count += 1) {
      const createdLocal = DAY.toPlainDateTime().add({ seconds: random.below(86_400) });
      simulator.shop.insertOrder({ buyerOid: GUEST_OID, createdLocal });
    }
    const sweep: Lab['sweep'] = (through = (api) => api, mustEnd = () => false) => {
      clock.pass({ minutes: 10 });
      const means = { now: clock.now, through: (api: ShopApi) => through(withoutGroups(api)) };
      const settings = { pageLimit: 3, freshness: parseFreshness('*:1m') };
      return sweepOnce(simulator, db, { ...FORCED, mustEnd }, settings, means);
    };
    const verdict = async () => {
      const { rows } = await client.query<{ at: Date | null }>(
        'SELECT verified_at AS at FROM tested.days WHERE day = $1',
        [DAY.toString()],
      );
      return {
        verifiedAt: rows[0]?.at?.toISOString(),
        began: new Date(clock.now().epochMilliseconds).toISOString(),
      };
    };
    expect(await sweep()).toMatchObject({ status: 'ok', orders_new: ORDERS });
    await work({ simulator, client, lists, sweep, verdict });
  });
}

test('a day that is loaded by several windows is read once, and verified as of the first of them', () =>
  inLab(async ({ client, lists, simulator, verdict }) => {
    const { verifiedAt, began } = await verdict();
    expect(verifiedAt).toBe(began);
    const ends = new Set(lists.map(({ dateTo }) => dateTo));
    expect(ends.size, 'windows').toBeGreaterThan(3);
    // The least are 60 pages of three rows that overlap in one, 30 pages show that the day is too long, and what lies below
    // each part takes a list of its own.
    expect(lists.length).toBeLessThan(170);
    expect(await differences(client, simulator.shop)).toEqual([]);
  }));

test('an order that the list of one window omits keeps the day unverified, whatever its other windows show', () =>
  inLab(async ({ client, simulator, sweep, verdict }) => {
    const before = await verdict();
    const late = simulator.shop.orders().find(({ createdLocal }) => createdLocal.hour === 22);
    const result = await sweep(hiding(new Set([late?.orderId ?? 0]), 'list'));
    expect(result).toMatchObject({ status: 'partial', orders_missing: 0 });
    expect(await verdict()).toMatchObject({ verifiedAt: undefined });
    expect(before.verifiedAt).toBeDefined();
    expect(await sweep()).toMatchObject({ status: 'ok' });
    expect(await differences(client, simulator.shop)).toEqual([]);
  }));

test('while a changed order of one window cannot be fetched, the day is not verified', () =>
  inLab(async ({ client, simulator, sweep, verdict }) => {
    const { shop } = simulator;
    const before = await verdict();
    const late = shop.orders().at(-1)?.orderId ?? 0;
    shop.editOrder(late, { status: 'C' });
    const through = (api: ShopApi): ShopApi => ({
      ...api,
      async orderContent(orderId, ...others) {
        if (orderId !== String(late)) return api.orderContent(orderId, ...others);
        // Long enough to read the next window, which holds nothing new.
        await sleep(200);
        throw new UnavailableError('the shop is away');
      },
    });
    await expect(sweep(through)).rejects.toThrow('the shop is away');
    expect((await verdict()).verifiedAt).toEqual(before.verifiedAt);
    expect(await sweep()).toMatchObject({ status: 'ok', orders_changed: 1 });
    expect(await differences(client, shop)).toEqual([]);
  }));

test('an element that may be an order keeps the day unverified, whatever its other windows show', () =>
  inLab(async ({ simulator, sweep, verdict }) => {
    const element = simulator.shop.orders().find(({ createdLocal }) => createdLocal.hour === 22);
    simulator.shop.setRaw(element?.orderId ?? 0, { order_id: null, created: null, time: null });
    expect(await sweep()).toMatchObject({ status: 'partial' });
    expect(await verdict()).toMatchObject({ verifiedAt: undefined });
  }));
