/** Lives through a hostile shop's life: real sweeps of it into a real warehouse, each judged by what the shop was. */
import type { Client } from 'pg';

import { DriftError, TerminalError, TransientError } from '../../../src/errors.ts';
import { type Dialect, PLAIN } from '../../../src/simulator/api/dialect.ts';
import type { Simulator } from '../../../src/simulator/server.ts';
import type { SweepRequest } from '../../../src/sync/sweep/sweep-request.ts';
import type { Db } from '../../../src/warehouse/db/database.ts';
import { makeShopInProcess } from '../../support/in-process-shop.ts';
import { hastyClock, sweepOnce, type TestClock, testClock, withoutGroups } from '../../support/sweep.ts';
import { differences } from '../../support/truth.ts';
import type { Chapter, Life } from './life.ts';
import { quiet } from './quiet.ts';
import { type FalseDay, Witness } from './oracle.ts';
import { PRESENT, ShopHand, ZONE } from './shop-hand.ts';

export type Warehouse = { readonly client: Client; readonly db: Db };

/** What a life came to. */
export type Story = {
  sweeps: number;
  /** Sweeps that were ended by the life, and those that gave up. */
  crashes: number;
  refusals: number;
  /** Sweeps that asked far more than so small a shop can need. */
  endless: number;
  requests: number;
  /** In the shop in the end. */
  orders: number;
  daysVerified: number;
  /** Those of which a part was read by an earlier sweep. */
  daysResumed: number;
  readonly falseDays: FalseDay[];
  /** What differs still when the shop has been sane for a sweep. */
  differing: readonly string[];
};

type Given = {
  readonly warehouse: Warehouse;
  readonly simulator: Simulator;
  readonly shopKey: string;
  readonly life: Life;
};

type LedgerDay = { readonly verifiedAt: string; readonly orders: ReadonlySet<string> };

/** A shop that is sane again answers as the documentation says; the form of its records may stay. */
const SANE: Partial<Dialect> = {
  total: PLAIN.total,
  pages: PLAIN.pages,
  dateFrom: PLAIN.dateFrom,
  dateTo: PLAIN.dateTo,
  datePrecision: PLAIN.datePrecision,
  dateEnds: PLAIN.dateEnds,
  dateFilter: PLAIN.dateFilter,
  falseEmpties: PLAIN.falseEmpties,
  reach: PLAIN.reach,
  start: PLAIN.start,
  listOrder: PLAIN.listOrder,
  unknownOrder: PLAIN.unknownOrder,
  errors: PLAIN.errors,
  charset: PLAIN.charset,
};
/** Changes in one sweep; then the shop stands still, or it would grow for as long as it is read. */
const MAX_DRIFT = 50;
const MAX_REQUESTS = { ordinary: 1_000, crowded: 4_000 };
const BUDGET_MS = 240_000;
/** After this every day is due, every line that failed may be tried again, and the list without dates is due too. */
const LONG = { hours: 192 };

export async function runLife(warehouse: Warehouse, shopKey: string, life: Life): Promise<Story> {
  const { dialect, pageCap } = life.birth;
  const cap = pageCap === undefined ? {} : { pageCap };
  await using simulator = makeShopInProcess({
    orders: 0,
    days: life.days,
    seed: life.seed,
    now: PRESENT,
    timezone: ZONE,
    dialect,
    ...cap,
  });
  const run = new LifeRun({ warehouse, simulator, shopKey, life });
  for (const chapter of life.chapters) await run.live(chapter);
  await run.recover();
  return run.story;
}

class LifeRun {
  readonly story: Story = {
    sweeps: 0,
    crashes: 0,
    refusals: 0,
    endless: 0,
    requests: 0,
    orders: 0,
    daysVerified: 0,
    daysResumed: 0,
    falseDays: [],
    differing: [],
  };
  readonly #warehouse: Warehouse;
  readonly #simulator: Simulator;
  readonly #shopKey: string;
  readonly #life: Life;
  readonly #hand: ShopHand;
  readonly #clock: TestClock = testClock(PRESENT);
  readonly #witness: Witness;
  #ledger: ReadonlyMap<string, LedgerDay> = new Map();

  constructor({ warehouse, simulator, shopKey, life }: Given) {
    this.#warehouse = warehouse;
    this.#simulator = simulator;
    this.#shopKey = shopKey;
    this.#life = life;
    this.#hand = new ShopHand(simulator, life);
    this.#hand.turn(life.birth);
    if (life.crowd !== undefined) this.#hand.turn({ dialect: {}, pageCap: life.crowd.pageCap });
    this.#hand.furnish(life);
    this.#witness = new Witness(simulator.shop);
  }

  async live(chapter: Chapter): Promise<void> {
    this.#pass({ minutes: chapter.waitMinutes });
    if (chapter.turn !== undefined) this.#hand.turn(chapter.turn);
    for (let count = 0; count < chapter.changes; count += 1) this.#change();
    const budget = chapter.budgetAt === undefined ? {} : { budgetMs: BUDGET_MS };
    const request =
      chapter.how === 'sync' ? { kind: 'sync' as const } : { kind: 'backfill' as const, force: true };
    await this.#sweep({ ...request, ...budget }, chapter);
  }

  /** The shop comes to its senses: one sync later the warehouse is the shop. */
  async recover(): Promise<void> {
    this.#hand.turn({ dialect: SANE, pageCap: 500 });
    this.#simulator.shop.allowAll();
    this.#pass(LONG);
    this.#hand.openAgain();
    await this.#sweep({ kind: 'sync' });
    const { shop } = this.#simulator;
    this.story.orders = shop.orders().length;
    this.story.differing = await differences(this.#warehouse.client, shop, { shopKey: this.#shopKey });
  }

  async #sweep(request: SweepRequest, chapter?: Chapter): Promise<void> {
    const { requests } = this.#simulator;
    const began = this.#clock.now();
    this.#witness.begins(began);
    const stop = new AbortController();
    const most = MAX_REQUESTS[this.#life.crowd === undefined ? 'ordinary' : 'crowded'];
    let number = 0;
    let drifted = 0;
    const unlisten = requests.onRequest(async (asked) => {
      await quiet(this.#warehouse.db, requests, asked);
      number += 1;
      if (chapter?.midTurn?.at === number) this.#hand.turn(chapter.midTurn.turn);
      if (chapter !== undefined && drifted < MAX_DRIFT && this.#hand.chance(chapter.drift)) {
        drifted += 1;
        this.#change();
      }
      this.#witness.asked(asked);
      if (chapter?.budgetAt === number) this.#clock.pass({ milliseconds: BUDGET_MS });
      if (chapter?.crashAt === number) stop.abort(new Error('stopped'));
      if (number === most) stop.abort(new Error('endless'));
    });
    this.story.sweeps += 1;
    try {
      await this.#syncOnce(request, stop.signal);
    } catch (error) {
      if (number >= most) this.story.endless += 1;
      else if (stop.signal.aborted) this.story.crashes += 1;
      else if (isSaid(error)) this.story.refusals += 1;
      else throw error;
    } finally {
      unlisten();
      this.story.requests += number;
    }
    await this.#judge(began);
  }

  async #syncOnce(request: SweepRequest, signal: AbortSignal): Promise<void> {
    const { days, isStartGiven, odd, pageLimit, maxConcurrency } = this.#life;
    const first = PRESENT.toZonedDateTimeISO(ZONE)
      .toPlainDate()
      .subtract({ days: days + 1 });
    // What lies before a given start is not asked for.
    const historyFrom = isStartGiven && !odd.includes('past') ? first : undefined;
    const shop = { shopKey: this.#shopKey, pageLimit, historyFrom };
    const means = {
      now: this.#clock.now,
      signal,
      through: withoutGroups,
      clock: hastyClock(),
      maxConcurrency,
    };
    await sweepOnce(this.#simulator, this.#warehouse.db, request, shop, means);
  }

  #change(): void {
    this.#hand.change();
    this.#witness.changed();
  }

  async #judge(began: Temporal.Instant): Promise<void> {
    const before = this.#ledger;
    // What the shop became with a request that was interrupted.
    this.#witness.changed();
    this.#ledger = await readLedger(this.#warehouse.client, this.#shopKey);
    for (const [day, { verifiedAt, orders }] of this.#ledger) {
      if (before.get(day)?.verifiedAt === verifiedAt) continue;
      this.story.daysVerified += 1;
      const verified = Temporal.Instant.from(verifiedAt);
      if (Temporal.Instant.compare(verified, began) < 0) this.story.daysResumed += 1;
      const falseDay = this.#witness.judge(day, orders, verified);
      if (falseDay !== undefined) this.story.falseDays.push(falseDay);
    }
  }

  #pass(duration: Temporal.DurationLike): void {
    this.#clock.pass(duration);
    this.#simulator.shop.tick(this.#clock.now(), { newOrders: 0, edits: 0 });
  }
}

/** Whether the sweep gave up in words of its own, as it may; any other error is a fault of the program. */
function isSaid(error: unknown): boolean {
  return [TerminalError, TransientError, DriftError].some((kind) => error instanceof kind);
}

/** The verified days, each with its orders that count as the shop's. */
async function readLedger(client: Client, shopKey: string): Promise<ReadonlyMap<string, LedgerDay>> {
  const { rows } = await client.query<{ day: string; verified_at: string; orders: string[] }>(
    `SELECT d.day::text, d.verified_at::text,
       ARRAY(SELECT o.order_id::text FROM tested.orders o WHERE o.shop_id = d.shop_id AND o.created_local >= d.day
         AND o.created_local < d.day + 1 AND o.missing_since IS NULL AND o.deleted_at IS NULL ORDER BY o.order_id) AS orders
     FROM tested.days d JOIN tested.shops s USING (shop_id) WHERE s.shop_key = $1 AND d.verified_at IS NOT NULL
     ORDER BY d.day`,
    [shopKey],
  );
  return new Map(
    rows.map((row) => [row.day, { verifiedAt: row.verified_at, orders: new Set(row.orders) }] as const),
  );
}
