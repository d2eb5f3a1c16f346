import type { Client } from 'pg';
import { expect, test } from 'vitest';

import { parseFreshness } from '../../../src/plan/days/freshness.ts';
import { Random } from '../../../src/simulator/shop/random.ts';
import { type ListRequest, watchLists } from '../../support/list-requests.ts';
import type { Simulator } from '../../../src/simulator/server.ts';
import type { SimOrder } from '../../../src/simulator/shop/sim-order.ts';
import type { SimulatedShop } from '../../../src/simulator/shop/simulated-shop.ts';
import { GUEST_OID } from '../../../src/simulator/shop/sim-users.ts';
import { isBefore } from '../../../src/window.ts';
import { makeShopInProcess } from '../../support/in-process-shop.ts';
import { inWarehouse, type Opened, sweepOnce, testClock, withoutGroups } from '../../support/sweep.ts';
import { differences } from '../../support/truth.ts';

const NOW = Temporal.Instant.from('2026-03-20T10:00:00Z');
const HUGE = Temporal.PlainDate.from('2026-03-10');
const ORDERS = 260;
const CAP = 5;
/** Of simulated time: a list request takes a second of it. */
const BUDGET_MS = 15_000;

/** A shop whose one day of note takes many windows, with a few quiet days before and after it. */
async function shopOfHugeDay(): Promise<Simulator> {
  const simulator = makeShopInProcess({ orders: 0, days: 30, now: NOW, pageCap: CAP });
  const random = new Random(7, 'huge day');
  const place = (createdLocal: Temporal.PlainDateTime) =>
    simulator.shop.insertOrder({ buyerOid: GUEST_OID, createdLocal });
  for (const offset of [-12, -3, 4, 10]) place(HUGE.toPlainDateTime('12:00').add({ days: offset }));
  for (let count = 0; count < ORDERS; count += 1) {
    place(HUGE.toPlainDateTime().add({ seconds: random.below(86_400) }));
  }
  return simulator;
}

/** One shop, one warehouse, and sweeps of a few windows each. */
class Lab {
  readonly simulator: Simulator;
  readonly client: Client;
  freshness = '*:30d';
  readonly #db: Opened['db'];
  readonly #clock = testClock(NOW);
  /** The shop's orders as they were when each list request was asked. */
  readonly moments: { readonly at: Temporal.Instant; readonly orders: readonly SimOrder[] }[] = [];

  constructor(simulator: Simulator, { client, db }: Opened) {
    this.simulator = simulator;
    this.client = client;
    this.#db = db;
    simulator.requests.onRequest(({ route }) => {
      if (route !== 'orders') return;
      this.moments.push({ at: this.#clock.now(), orders: simulator.shop.orders() });
      this.#clock.pass({ seconds: 1 });
    });
  }

  hugeDay(): readonly SimOrder[] {
    return ofHugeDay(this.simulator.shop.orders());
  }

  /** One sweep, five minutes after the one before. @returns its list requests */
  async sweep(budgetMs = BUDGET_MS, signal?: AbortSignal): Promise<readonly ListRequest[]> {
    this.#clock.pass({ minutes: 5 });
    const lists = watchLists(this.simulator.requests);
    const means = { now: this.#clock.now, through: withoutGroups, signal };
    const freshness = parseFreshness(this.freshness);
    await sweepOnce(this.simulator, this.#db, { kind: 'sync', budgetMs }, { freshness }, means);
    return [...lists];
  }

  async ledger() {
    const { rows } = await this.client.query<{
      verified_at: Date | null;
      read_from: string | null;
      is_restless: boolean | null;
      orders_seen: number | null;
    }>(
      `SELECT verified_at, to_char(read_from, 'YYYY-MM-DD"T"HH24:MI') AS read_from,
         CASE WHEN read_from IS NOT NULL THEN read_moves IS DISTINCT FROM moves END AS is_restless, orders_seen
       FROM tested.days WHERE day = $1`,
      [HUGE.toString()],
    );
    const [row] = rows;
    return {
      verifiedAt: row?.verified_at?.toISOString(),
      readFrom: row?.read_from == null ? undefined : Temporal.PlainDateTime.from(row.read_from),
      isRestless: row?.is_restless ?? undefined,
      orders: row?.orders_seen ?? undefined,
    };
  }

  /** Sweeps until the day is verified. @returns how many sweeps that took */
  async untilVerified(budgetMs = BUDGET_MS): Promise<number> {
    for (let sweeps = 1; sweeps <= 100; sweeps += 1) {
      await this.sweep(budgetMs);
      if ((await this.ledger()).verifiedAt !== undefined) return sweeps;
    }
    throw new Error('never verified');
  }

  /** A sweep that ends, as if killed, at the request of a number. */
  async killedSweep(atRequest: number): Promise<void> {
    const stop = new AbortController();
    let requests = 0;
    const unlisten = this.simulator.requests.onRequest(() => {
      if (++requests === atRequest) stop.abort(new Error('killed'));
    });
    await this.sweep(Number.POSITIVE_INFINITY, stop.signal).catch(() => undefined);
    unlisten();
  }

  pass(duration: Temporal.DurationLike): void {
    this.#clock.pass(duration);
  }

  /** From now on an order is placed in a minute with each request that asks for it. */
  unsettle(minute: Temporal.PlainDateTime): () => void {
    const { shop, requests } = this.simulator;
    return requests.onRequest(({ route, query }) => {
      const [from, to] = [timeOf(query['date_from']), timeOf(query['date_to'])];
      if (route !== 'orders' || (from && isBefore(minute, from)) || (to && isBefore(to, minute))) return;
      shop.insertOrder({ ...PLACED, createdLocal: minute });
    });
  }

  /** Whether the day is held as the shop was at the instant that its verification speaks of. */
  async heldAsAtVerification(): Promise<boolean> {
    const { rows } = await this.client.query<{ held: string }>(
      `SELECT order_id || ' ' || to_char(created_local, 'YYYY-MM-DD"T"HH24:MI') AS held FROM tested.orders
       WHERE created_on = $1 AND missing_since IS NULL AND deleted_at IS NULL ORDER BY order_id`,
      [HUGE.toString()],
    );
    const held = rows.map((row) => row.held).join();
    const { verifiedAt = '' } = await this.ledger();
    const since = this.moments.filter(
      ({ at }) => at.toString() >= Temporal.Instant.from(verifiedAt).toString(),
    );
    return since.some(({ orders }) => ofHugeDay(orders).map(textOf).join() === held);
  }
}

function ofHugeDay(orders: readonly SimOrder[]): readonly SimOrder[] {
  return orders
    .filter(({ createdLocal }) => createdLocal.toPlainDate().equals(HUGE))
    .toSorted((one, other) => one.orderId - other.orderId);
}

const textOf = ({ orderId, createdLocal }: SimOrder) => `${orderId} ${createdLocal.toString().slice(0, 16)}`;

async function inLab(work: (lab: Lab) => Promise<void>): Promise<void> {
  await using simulator = await shopOfHugeDay();
  await inWarehouse(async (opened) => work(new Lab(simulator, opened)));
}

/** Of the list requests, the proven orders that they ask for again, up to an order or two at the seam. */
function askedAgain(
  lists: readonly ListRequest[],
  day: readonly SimOrder[],
  readFrom: Temporal.PlainDateTime,
): number {
  const ends = lists.map(({ dateTo }) => timeOf(dateTo) ?? HUGE.toPlainDateTime().add({ days: 1 }));
  const ofDay = ends.filter((end) => end.toPlainDate().equals(HUGE));
  const proven = day.filter(({ createdLocal }) => !isBefore(createdLocal, readFrom));
  return Math.max(
    0,
    ...ofDay.map((end) => proven.filter(({ createdLocal }) => !isBefore(end, createdLocal)).length),
  );
}

/** DD-MM-YYYY HH:MM:SS */
function timeOf(text: string | undefined): Temporal.PlainDateTime | undefined {
  const [day, month, year, clock] = text?.split(/[- ]/) ?? [];
  return text === undefined ? undefined : Temporal.PlainDateTime.from(`${year}-${month}-${day}T${clock}`);
}

test('a day too large for one time budget is verified by many sweeps, none of which rereads proven parts', async () => {
  await inLab(async (lab) => {
    const passes = new Set<boolean>();
    let [sweeps, resumed] = [0, 0];
    for (let before = await lab.ledger(); before.verifiedAt === undefined;) {
      const lists = await lab.sweep();
      const after = await lab.ledger();
      if (before.readFrom !== undefined) {
        resumed += 1;
        expect(askedAgain(lists, lab.hugeDay(), before.readFrom)).toBeLessThanOrEqual(4);
      }
      if (after.isRestless !== undefined) passes.add(after.isRestless);
      before = after;
      expect(++sweeps).toBeLessThan(30);
    }
    // The first pass loads the day, the second one finds it as it is held.
    expect([...passes]).toEqual([true, false]);
    expect(resumed).toBeGreaterThan(4);
    const { orders, readFrom, isRestless } = await lab.ledger();
    expect({ orders, readFrom, isRestless }).toEqual({
      orders: ORDERS,
      readFrom: undefined,
      isRestless: undefined,
    });
    expect(await differences(lab.client, lab.simulator.shop)).toEqual([]);
  });
});

test('even the smallest budget advances a sweep by one window', async () => {
  await inLab(async (lab) => {
    expect(await lab.untilVerified(1)).toBeLessThan(90);
    expect(await differences(lab.client, lab.simulator.shop)).toEqual([]);
  });
});

test('a process that is killed repeatedly resumes where it was', async () => {
  await inLab(async (lab) => {
    for (let kills = 0; kills < 40 && (await lab.ledger()).verifiedAt === undefined; kills += 1) {
      await lab.killedSweep(150 + (kills % 7));
    }
    expect(await lab.ledger()).toMatchObject({ orders: ORDERS });
    expect(await differences(lab.client, lab.simulator.shop)).toEqual([]);
  });
});

type Pick = { readonly read: SimOrder; readonly unread: SimOrder };
const PLACED = { buyerOid: GUEST_OID };

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
/** Those that leave the number of orders of the day as it is are the hardest to notice. */
const isLong = (process.env['TEST_LONG'] ?? '') !== '';
const TRIED = CHANGES.filter(([what]) => isLong || /edited|deleted|to what is left/.test(what));

test.each(TRIED)(
  'an order of a proven part that is %s between two sweeps never makes a day verified wrongly',
  async (_what, change) => {
    await inLab(async (lab) => {
      for (let sweeps = 0; sweeps < 40 && (await lab.ledger()).isRestless !== false; sweeps += 1)
        await lab.sweep();
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
      await lab.sweep(3_600_000);
      lab.pass({ minutes: 10 });
      await lab.sweep(3_600_000);
      expect(await differences(lab.client, lab.simulator.shop)).toEqual([]);
    });
  },
);

test('a day whose stored orders changed since is verified by a later reading', async () => {
  await inLab(async (lab) => {
    for (let sweeps = 0; sweeps < 40 && (await lab.ledger()).isRestless !== false; sweeps += 1)
      await lab.sweep();
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
    await lab.untilVerified();
    const { verifiedAt } = await lab.ledger();
    lab.pass({ hours: 31 * 24 });
    lab.simulator.shop.insertOrder({ ...PLACED, createdLocal: HUGE.toPlainDateTime('23:58') });
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
    expect(first?.dateTo).toBe('11-03-2026 00:01:00');
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
    expect(await differences(lab.client, lab.simulator.shop)).toEqual([]);
  });
});
