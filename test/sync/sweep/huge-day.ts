/** A shop with a day that takes many windows, and sweeps that have time for a few of them each. */
import type { Client } from 'pg';

import { parseFreshness } from '../../../src/plan/days/freshness.ts';
import { Random } from '../../../src/simulator/shop/random.ts';
import { type ListRequest, watchLists } from '../../support/list-requests.ts';
import type { Simulator } from '../../../src/simulator/server.ts';
import type { SimOrder } from '../../../src/simulator/shop/sim-order.ts';
import { GUEST_OID } from '../../../src/simulator/shop/sim-users.ts';
import { isBefore } from '../../../src/model/window.ts';
import { makeShopInProcess } from '../../support/in-process-shop.ts';
import { inWarehouse, type Opened, sweepOnce, testClock, withoutGroups } from '../../support/sweep.ts';

const NOW = Temporal.Instant.from('2026-03-20T10:00:00Z');
export const HUGE = Temporal.PlainDate.from('2026-03-10');
/** Of that day. */
export const ORDERS = 260;
const CAP = 5;
/** Of simulated time: a list request takes a second of it. */
const BUDGET_MS = 15_000;
/** For all that is due. */
export const ONE_SWEEP_MS = 3_600_000;

export const PLACED = { buyerOid: GUEST_OID };

/** A shop whose one day of note takes many windows, with a few quiet days before and after it. */
async function shopOfHugeDay(orders: number): Promise<Simulator> {
  const simulator = makeShopInProcess({ orders: 0, days: 30, now: NOW, pageCap: CAP });
  const random = new Random(7, 'huge day');
  const place = (createdLocal: Temporal.PlainDateTime) =>
    simulator.shop.insertOrder({ buyerOid: GUEST_OID, createdLocal });
  for (const offset of [-12, -3, 4, 10]) place(HUGE.toPlainDateTime('12:00').add({ days: offset }));
  for (let count = 0; count < orders; count += 1) {
    place(HUGE.toPlainDateTime().add({ seconds: random.below(86_400) }));
  }
  return simulator;
}

/** One shop, one warehouse, and sweeps of a few windows each. */
export class Lab {
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

  /** The day is held, and read again since then, but for a part: what a first reading takes is tested by itself. */
  async readPartAgain(): Promise<void> {
    await this.untilVerified(ONE_SWEEP_MS);
    await this.client.query('UPDATE tested.days SET verified_at = NULL WHERE day = $1', [HUGE.toString()]);
    for (let sweeps = 0; sweeps < 40 && (await this.ledger()).isRestless !== false; sweeps += 1)
      await this.sweep();
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

export async function inLab(work: (lab: Lab) => Promise<void>, orders = ORDERS): Promise<void> {
  await using simulator = await shopOfHugeDay(orders);
  await inWarehouse(async (opened) => work(new Lab(simulator, opened)));
}

/** Of the list requests, the proven orders that they ask for again, up to an order or two at the seam. */
export function askedAgain(
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
