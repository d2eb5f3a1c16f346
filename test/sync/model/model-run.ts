/** Runs a scenario against a simulated shop and a real warehouse; the shop's true state is the model. */
import { type Simulator, startSimulator } from '../../../src/simulator/server.ts';
import type { ShopSettings } from '../../../src/sync/run/context.ts';
import type { SweepResult } from '../../../src/sync/sweep/sweep-shop.ts';
import type { Db } from '../../../src/warehouse/db/database.ts';
import { type Opened, sweepOnce, type TestClock, testClock, withoutGroups } from '../../support/sweep.ts';
import { differences } from '../../support/truth.ts';
import type { Change, Command, Scenario } from './model-commands.ts';
import type { Shape } from './model-shapes.ts';

type SweepCommand = Extract<Command, { kind: 'sweep' }>;

/** What a run came across, so that a test can tell that it tested anything. */
export type Tally = {
  sweeps: number;
  crashes: number;
  faults: number;
  marks: number;
  daysCompared: number;
  orders: number;
};

/** The day after the clocks went forward in Berlin. */
const PRESENT = Temporal.Instant.from('2026-03-30T19:40:20Z');
/** Before all orders, those entered for an earlier day included. */
const FIRST_DAY = Temporal.PlainDate.from('2026-03-21');
const ZONE = 'Europe/Berlin';
/** Longer than the longest pause between two tries to get an order's lines. */
const LONGEST_PAUSE = { hours: 5 };

/** @throws an error that says what differs, where the warehouse is not as it must be */
export async function runScenario(
  warehouse: Opened,
  shopKey: string,
  shape: Shape,
  scenario: Scenario,
  tally: Tally,
): Promise<void> {
  const { seed, orders, days } = scenario;
  const cap = shape.pageCap === undefined ? {} : { pageCap: shape.pageCap };
  const made = { orders, days, seed, now: PRESENT, timezone: ZONE, dialect: shape.dialect, ...cap };
  await using simulator = await startSimulator(made);
  const run = new ModelRun(warehouse, simulator, shopKey, scenario, tally);
  for (const command of scenario.commands) await run.execute(command);
  await run.settle();
}

class ModelRun {
  readonly #warehouse: Opened;
  readonly #simulator: Simulator;
  readonly #shop: Pick<ShopSettings, 'shopKey' | 'pageLimit' | 'historyFrom'>;
  readonly #tally: Tally;
  readonly #hasGroups: boolean;
  readonly #clock: TestClock = testClock(PRESENT);

  constructor(
    warehouse: Opened,
    simulator: Simulator,
    shopKey: string,
    { pageLimit, hasGroups, isStartGiven }: Scenario,
    tally: Tally,
  ) {
    this.#warehouse = warehouse;
    this.#simulator = simulator;
    this.#shop = { shopKey, pageLimit, historyFrom: isStartGiven ? FIRST_DAY : undefined };
    this.#hasGroups = hasGroups;
    this.#tally = tally;
  }

  async execute(command: Command): Promise<void> {
    if (command.kind === 'sweep') await this.#sweep(command);
    else if (command.kind === 'wait') this.#pass({ minutes: command.minutes });
    else if (command.kind === 'fail') {
      this.#simulator.faults.failNext(command.count, command.fault, { route: command.route });
    } else change(this.#simulator, command);
  }

  /** The faults stop: two sweeps later the warehouse is the shop. */
  async settle(): Promise<void> {
    this.#simulator.faults.clear();
    this.#pass(LONGEST_PAUSE);
    await this.#run({ kind: 'backfill', force: true });
    const last = await this.#run({ kind: 'backfill', force: true });
    if (last.status !== 'ok') throw new Error(`the last sweep is partial: ${last.problems.join('; ')}`);
    await this.#compare({ shopKey: this.#shop.shopKey });
    this.#tally.orders += this.#simulator.shop.orders().length;
  }

  async #sweep({ how, crash, meanwhile }: SweepCommand): Promise<void> {
    const pending = this.#simulator.faults.pending();
    const stop = new AbortController();
    let requests = 0;
    const unlisten = this.#simulator.requests.onRequest(() => {
      requests += 1;
      for (const { at, change: meant } of meanwhile) if (at === requests) change(this.#simulator, meant);
      if (crash?.by === 'abort' && crash.at === requests) stop.abort(new Error('stopped'));
    });
    const { db } = this.#warehouse;
    const failing = crash?.by === 'database' ? failingAt(db, crash.at) : db;
    const request = how === 'force' ? { kind: 'backfill' as const, force: true } : { kind: how };
    try {
      await this.#run(request, failing, stop.signal);
    } catch (error) {
      this.#tally.crashes += 1;
      if (pending === 0 && crash === undefined) throw error;
    } finally {
      unlisten();
    }
    this.#tally.faults += pending - this.#simulator.faults.pending();
    await this.#assertNoneMarked();
    if (pending === 0 && meanwhile.length === 0) await this.#compareVerified();
  }

  async #run(
    request: Parameters<typeof sweepOnce>[2],
    db: Db = this.#warehouse.db,
    signal?: AbortSignal,
  ): Promise<SweepResult> {
    this.#pass({ minutes: 1 });
    this.#tally.sweeps += 1;
    const means = { now: this.#clock.now, signal, through: this.#hasGroups ? undefined : withoutGroups };
    return sweepOnce(this.#simulator, db, request, this.#shop, means);
  }

  /** Whatever went wrong: an order that the shop holds is never marked as missing from it. */
  async #assertNoneMarked(): Promise<void> {
    const { rows } = await this.#warehouse.client.query<{ order_id: string }>(
      `SELECT order_id::text FROM tested.orders JOIN tested.shops USING (shop_id)
       WHERE shop_key = $1 AND (missing_since IS NOT NULL OR deleted_at IS NOT NULL)`,
      [this.#shop.shopKey],
    );
    const wrong = rows.filter(({ order_id }) => this.#simulator.shop.order(Number(order_id)) !== undefined);
    if (wrong.length > 0) {
      throw new Error(`marked, but in the shop: ${wrong.map(({ order_id }) => order_id).join(', ')}`);
    }
    this.#tally.marks += rows.length;
  }

  /** Days that were just verified, by a sweep that met no fault of a shop that stood still, are the shop's. */
  async #compareVerified(): Promise<void> {
    const { rows } = await this.#warehouse.client.query<{ day: string }>(
      `SELECT day::text FROM tested.days JOIN tested.shops USING (shop_id)
       WHERE shop_key = $1 AND verified_at = $2::timestamptz`,
      [this.#shop.shopKey, this.#clock.now().toString()],
    );
    this.#tally.daysCompared += rows.length;
    const days = new Set(rows.map(({ day }) => day));
    await this.#compare({ shopKey: this.#shop.shopKey, days, onlyFetchedLines: true });
  }

  async #compare(scope: Parameters<typeof differences>[2]): Promise<void> {
    const found = await differences(this.#warehouse.client, this.#simulator.shop, scope);
    if (found.length > 0) throw new Error(`the warehouse is not the shop:\n${found.join('\n')}`);
  }

  #pass(duration: Temporal.DurationLike): void {
    this.#clock.pass(duration);
    this.#simulator.shop.tick(this.#clock.now(), { newOrders: 0, edits: 0 });
  }
}

function change({ shop }: Simulator, meant: Change): void {
  const orders = shop.orders();
  const picked = 'pick' in meant ? orders[meant.pick % Math.max(1, orders.length)] : undefined;
  const present = shop.now().toZonedDateTimeISO(ZONE).toPlainDateTime();
  if (meant.kind === 'insert') {
    shop.insertOrder({ createdLocal: present.subtract({ seconds: meant.secondsBack }) });
  }
  if (picked === undefined) return;
  if (meant.kind === 'insert into the minute of another') {
    const minute = picked.createdLocal.with({ second: 0, millisecond: 0, microsecond: 0, nanosecond: 0 });
    for (let second = 0; second < meant.count; second++) {
      shop.insertOrder({ createdLocal: minute.add({ seconds: second }) });
    }
  }
  if (meant.kind === 'edit') shop.editOrder(picked.orderId);
  if (meant.kind === 'delete') shop.deleteOrder(picked.orderId);
  if (meant.kind === 'view') shop.viewOrder(picked.orderId);
  if (meant.kind === 'move') {
    shop.moveOrder(picked.orderId, present.subtract({ seconds: meant.secondsBack }));
  }
}

/** A database that loses its connection at the end of the transaction of this number: nothing of it is kept. */
function failingAt(db: Db, at: number): Db {
  let transactions = 0;
  const transaction: Db['transaction'] = (work, config) => {
    transactions += 1;
    const isFailing = transactions === at;
    return db.transaction(async (tx) => {
      const result = await work(tx);
      if (isFailing) throw new Error('the connection to the database broke');
      return result;
    }, config);
  };
  return new Proxy(db, {
    get: (target, key) => (key === 'transaction' ? transaction : Reflect.get(target, key, target)),
  });
}
