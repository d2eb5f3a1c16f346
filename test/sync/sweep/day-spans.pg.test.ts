import { expect, test } from 'vitest';

import type { SimOrder } from '../../../src/simulator/shop/sim-order.ts';
import type { SimulatedShop } from '../../../src/simulator/shop/simulated-shop.ts';
import { isBefore } from '../../../src/model/window.ts';
import { differences } from '../../support/truth.ts';
import { askedAgain, HUGE, inLab, ONE_SWEEP_MS, ORDERS, PLACED } from './huge-day.ts';
import { longTest } from '../../support/long-test.ts';
import { IS_LONG } from '../../support/long.ts';

test('a day too large for one time budget is verified by many sweeps, none of which rereads proven parts', async () => {
  await inLab(async (lab) => {
    const passes: boolean[] = [];
    let [sweeps, resumed] = [0, 0];
    for (let before = await lab.ledger(); before.verifiedAt === undefined;) {
      const lists = await lab.sweep();
      const after = await lab.ledger();
      if (before.readFrom !== undefined) {
        resumed += 1;
        expect(askedAgain(lists, lab.hugeDay(), before.readFrom)).toBeLessThanOrEqual(4);
      }
      if (after.isRestless !== undefined) passes.push(after.isRestless);
      before = after;
      expect(++sweeps).toBeLessThan(30);
    }
    // A pass that loads orders proves nothing; the last one finds the day as it is held.
    expect(passes).toContain(true);
    expect(passes.at(-1)).toBe(false);
    expect(resumed).toBeGreaterThan(4);
    const { orders, readFrom, isRestless } = await lab.ledger();
    expect({ orders, readFrom, isRestless }).toEqual({
      orders: ORDERS,
      readFrom: undefined,
      isRestless: undefined,
    });
    // And what is older.
    await lab.sweep(ONE_SWEEP_MS);
    expect(await differences(lab.client, lab.simulator.shop)).toEqual([]);
  });
});

longTest('even the smallest budget advances a sweep by one window', async () => {
  await inLab(async (lab) => {
    expect(await lab.untilVerified(1)).toBeLessThan(90);
    expect(await differences(lab.client, lab.simulator.shop)).toEqual([]);
  });
});

/** Orders of the huge day where another one is looked at: more than the sweeps of these tests read of it. */
const DUE_BESIDE = 60;
const PLACES = [
  { name: 'today', days: 10 },
  { name: 'yesterday', days: 9 },
];

test.each(IS_LONG ? PLACES : [])(
  'the smallest budget loads orders with each sweep of a crowded day that is $name',
  async ({ days }) => {
    await inLab(async (lab) => {
      const start = HUGE.add({ days }).toPlainDateTime('00:01');
      for (let index = 0; index < 150; index++) {
        lab.simulator.shop.insertOrder({ ...PLACED, createdLocal: start.add({ minutes: index * 4 }) });
      }
      const held = [0];
      const isOpen = () => (held.at(-1) ?? 0) < 150;
      while (isOpen() && held.length < 12) {
        await lab.sweep(1);
        const { rows } = await lab.client.query('SELECT count(*)::int AS orders FROM tested.orders');
        held.push(Number(rows[0]?.orders));
      }
      expect(isOpen(), held.join(' ')).toBe(false);
      // Of a small budget, some sweeps only verify what others have loaded.
      expect(held.filter((orders, index) => index > 0 && orders === held[index - 1]).length).toBeLessThan(3);
      expect(held[1]).toBeGreaterThan(0);
      await lab.sweep(ONE_SWEEP_MS);
      await lab.sweep(ONE_SWEEP_MS);
      expect(await differences(lab.client, lab.simulator.shop)).toEqual([]);
    }, DUE_BESIDE);
  },
);

longTest('what an earlier sweep read of today is not all that a later one reads', async () => {
  await inLab(async (lab) => {
    const start = HUGE.add({ days: 10 }).toPlainDateTime('00:01');
    const place = (minutes: number) =>
      lab.simulator.shop.insertOrder({ ...PLACED, createdLocal: start.add({ minutes }) });
    for (let index = 0; index < 150; index++) place(index * 4);
    await lab.sweep(1);
    await lab.sweep(1);
    const { orderId } = place(601);
    await lab.sweep(ONE_SWEEP_MS);
    const { rowCount } = await lab.client.query('SELECT 1 FROM tested.orders WHERE order_id = $1', [orderId]);
    expect(rowCount).toBe(1);
  }, DUE_BESIDE);
});

longTest('a process that is killed repeatedly resumes where it was', async () => {
  await inLab(async (lab) => {
    for (let kills = 0; kills < 40 && (await lab.ledger()).verifiedAt === undefined; kills += 1) {
      await lab.killedSweep(150 + (kills % 7));
    }
    expect(await lab.ledger()).toMatchObject({ orders: ORDERS });
    expect(await differences(lab.client, lab.simulator.shop)).toEqual([]);
  });
});

type Pick = { readonly read: SimOrder; readonly unread: SimOrder };

type Change = readonly [string, (shop: SimulatedShop, orders: Pick) => void];

const CHANGES: readonly Change[] = [
  ['edited', (shop, { read }) => shop.editOrder(read.orderId)],
  ['deleted', (shop, { read }) => shop.deleteOrder(read.orderId)],
  ['placed', (shop, { read }) => shop.insertOrder({ ...PLACED, createdLocal: read.createdLocal })],
  ['moved to what is left', (shop, { read, unread }) => shop.moveOrder(read.orderId, unread.createdLocal)],
  ['moved from what is left', (shop, { read, unread }) => shop.moveOrder(unread.orderId, read.createdLocal)],
  [
    'moved to a newer day',
    (shop, { read }) => shop.moveOrder(read.orderId, read.createdLocal.add({ days: 5 })),
  ],
  [
    'moved to an older day',
    (shop, { read }) => shop.moveOrder(read.orderId, read.createdLocal.subtract({ days: 5 })),
  ],
];
test.each(IS_LONG ? CHANGES : [])(
  'an order of a proven part that is %s between two sweeps never makes a day verified wrongly',
  async (_what, change) => {
    await inLab(async (lab) => {
      await lab.readPartAgain();
      await lab.sweep();
      const { readFrom = HUGE.toPlainDateTime() } = await lab.ledger();
      const day = lab.hugeDay();
      const read = day.findLast(({ createdLocal }) => isBefore(readFrom, createdLocal));
      const unread = day.find(({ createdLocal }) => isBefore(createdLocal, readFrom));
      if (read === undefined || unread === undefined) throw new Error('the day is not partly read');
      change(lab.simulator.shop, { read, unread });
      // Newer days are read before it goes on.
      lab.freshness = '8d:4m, *:30d';
      await lab.untilVerified();
      expect(await lab.heldAsAtVerification()).toBe(true);
      lab.pass({ hours: 31 * 24 });
      await lab.sweep(ONE_SWEEP_MS);
      lab.pass({ minutes: 10 });
      await lab.sweep(ONE_SWEEP_MS);
      expect(await differences(lab.client, lab.simulator.shop)).toEqual([]);
    });
  },
);

longTest('a day whose stored orders changed since is verified by a later reading', async () => {
  await inLab(async (lab) => {
    await lab.readPartAgain();
    const { orderId = 0 } = lab.hugeDay().findLast(({ createdLocal }) => createdLocal.hour === 23) ?? {};
    await lab.client.query('UPDATE tested.orders SET missing_since = now() WHERE order_id = $1', [orderId]);
    await lab.client.query('UPDATE tested.days SET moves = moves + 1 WHERE day = $1', [HUGE.toString()]);
    const read = lab.moments.length;
    await lab.untilVerified();
    const { verifiedAt = '' } = await lab.ledger();
    expect(
      lab.moments.findIndex(({ at }) => at.toString() === verifiedAt.replace('.000', '')),
    ).toBeGreaterThan(read);
    expect(await differences(lab.client, lab.simulator.shop)).toEqual([]);
  });
});

test('a reading that found changes verifies nothing, however many sweeps it takes', async () => {
  await inLab(async (lab) => {
    await lab.untilVerified(ONE_SWEEP_MS);
    const { verifiedAt } = await lab.ledger();
    lab.pass({ hours: 31 * 24 });
    let isPlaced = false;
    lab.simulator.requests.onRequest(({ route, query }) => {
      if (isPlaced || route !== 'orders' || query['date_from']?.startsWith('10-03-2026') !== true) return;
      isPlaced = true;
      lab.simulator.shop.insertOrder({ ...PLACED, createdLocal: HUGE.toPlainDateTime('23:58') });
    });
    let before = await lab.ledger();
    let begun = 0;
    for (let sweeps = 0; sweeps < 40 && before.verifiedAt === verifiedAt; sweeps += 1) {
      await lab.sweep();
      const after = await lab.ledger();
      if (before.isRestless !== after.isRestless && after.readFrom !== undefined) {
        begun += 1;
        expect(before.readFrom === undefined || isBefore(before.readFrom, after.readFrom)).toBe(true);
      }
      before = after;
    }
    expect(begun).toBe(2);
    expect(before.orders).toBe(ORDERS + 1);
  });
});

test('a part read by a clock that ran ahead is not resumed', async () => {
  await inLab(async (lab) => {
    for (let sweeps = 0; sweeps < 20 && (await lab.ledger()).readFrom === undefined; sweeps += 1)
      await lab.sweep();
    await lab.client.query(
      `UPDATE tested.days SET read_since = now() + interval '100 years' WHERE day = $1`,
      [HUGE.toString()],
    );
    const [first] = await lab.sweep();
    // Beyond the end of the day.
    expect(first?.dateTo).toMatch(/^(1[1-9]|20)-03-2026/);
  });
});

test('an unreadable part does not keep the parts above it from being read again', async () => {
  await inLab(async (lab) => {
    for (let sweeps = 0; sweeps < 20 && (await lab.ledger()).readFrom === undefined; sweeps += 1)
      await lab.sweep();
    const { readFrom = HUGE.toPlainDateTime() } = await lab.ledger();
    const late = HUGE.toPlainDateTime('23:58');
    const unsettle = lab.unsettle(readFrom.subtract({ minutes: 1 }));
    const { orderId } = lab.simulator.shop.insertOrder({ ...PLACED, createdLocal: late });
    const isHeld = async () =>
      (await lab.client.query('SELECT 1 FROM tested.orders WHERE order_id = $1', [orderId])).rowCount === 1;
    await lab.sweep();
    expect(await lab.ledger()).toMatchObject({ readFrom: undefined, verifiedAt: undefined });
    expect(await isHeld()).toBe(false);
    await lab.sweep();
    expect(await isHeld()).toBe(true);
    unsettle();
    await lab.untilVerified();
    await lab.sweep(ONE_SWEEP_MS);
    expect(await differences(lab.client, lab.simulator.shop)).toEqual([]);
  });
});
