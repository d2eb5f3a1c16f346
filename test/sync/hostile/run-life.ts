/** Lives through a hostile shop's life: real sweeps of it into a real warehouse, each judged by what the shop was. */
import type { Client } from 'pg';

import { TerminalError, TransientError } from '../../../src/model/errors.ts';
import { type Dialect, PLAIN } from '../../../src/simulator/shop/dialect.ts';
import type { Simulator } from '../../../src/simulator/server.ts';
import type { SweepRequest } from '../../../src/sync/sweep/sweep-request.ts';
import type { ShopApi } from '../../../src/shop-api/shop-api.ts';
import type { Db } from '../../../src/warehouse/db/database.ts';
import { keepCounts, type KeptCounts } from '../../support/cached-counts.ts';
import { makeShopInProcess } from '../../support/in-process-shop.ts';
import { hastyClock, sweepOnce, type TestClock, testClock, withoutGroups } from '../../support/sweep.ts';
import { differences } from '../../support/truth.ts';
import type { Chapter, Life } from './life.ts';
import { failingAt, quiet } from './means.ts';
import { type FalseDay, Witness } from './oracle.ts';
import { contradictions, type LedgerDay, readLedger, readWarranted, unverifiedDays } from './read-ledger.ts';
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
  readonly falseDays: FalseDay[];
  /** Sweeps after which all days counted as verified, and days that were not the shop's all the same. */
  warranties: number;
  readonly falseWarranties: FalseDay[];
  /** What must not be said of orders and days after any sweep. */
  readonly contradictions: string[];
  /** What differs still when the shop has been sane for a sweep. */
  differing: readonly string[];
};

type Given = {
  readonly warehouse: Warehouse;
  readonly simulator: Simulator;
  readonly shopKey: string;
  readonly life: Life;
};

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
  filters: PLAIN.filters,
  emptyStatus: PLAIN.emptyStatus,
  errors: PLAIN.errors,
  charset: PLAIN.charset,
};
/** Changes in one sweep; then the shop stands still, or it would grow for as long as it is read. */
const MAX_DRIFT = 12;
const MAX_REQUESTS = 1_000;
const MAX_CONCURRENCY = 4;
const BUDGET_MS = 240_000;
const COUNT_EVERY_MS = 60_000;
/** After this every day is due, every line that failed may be tried again, and the list without dates is due too. */
const LONG = { hours: 192 };
/** What holds up the day of an order whose new day is not read yet. */
const LEFT_ITS_DAY = 'not listed, but the shop still serves';

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
    falseDays: [],
    warranties: 0,
    falseWarranties: [],
    contradictions: [],
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
  readonly #kept: KeptCounts = new Map();
  #isCached: boolean;

  constructor({ warehouse, simulator, shopKey, life }: Given) {
    this.#warehouse = warehouse;
    this.#simulator = simulator;
    this.#shopKey = shopKey;
    this.#life = life;
    this.#hand = new ShopHand(simulator, life);
    this.#hand.turn(life.birth);
    this.#isCached = life.counting?.isCached === true;
    if (life.counting !== undefined) {
      const { filters, emptyStatus } = life.counting;
      this.#hand.turn({ dialect: { filters, emptyStatus } });
    }
    this.#hand.furnish(life);
    this.#witness = new Witness(simulator.shop);
  }

  async live(chapter: Chapter): Promise<void> {
    this.#pass({ minutes: chapter.waitMinutes });
    if (chapter.turn !== undefined) this.#hand.turn(chapter.turn);
    for (let count = 0; count < chapter.changes; count += 1) this.#change();
    const { mishap } = chapter;
    const budget = mishap?.kind === 'budget' ? { budgetMs: BUDGET_MS } : {};
    if (mishap?.kind === 'fault') {
      this.#simulator.faults.failNext(mishap.count, mishap.fault, { route: mishap.route });
    }
    const request =
      chapter.how === 'sync' ? { kind: 'sync' as const } : { kind: 'backfill' as const, force: true };
    await this.#sweep({ ...request, ...budget }, chapter);
  }

  /**
   * The shop comes to its senses: one sync later the warehouse is the shop, but for days that an order left for an older one:
   * the next sync verifies those.
   */
  async recover(): Promise<void> {
    this.#hand.turn({ dialect: SANE, pageCap: 500 });
    this.#isCached = false;
    this.#simulator.faults.clear();
    this.#simulator.shop.allowAll();
    this.#pass(LONG);
    this.#hand.openAgain();
    await this.#sweep({ kind: 'sync' });
    let differing = await this.#differing();
    if (differing.length > 0 && differing.every((text) => text.includes(LEFT_ITS_DAY))) {
      this.#pass({ hours: 1 });
      await this.#sweep({ kind: 'sync' });
      differing = await this.#differing();
    }
    this.story.orders = this.#simulator.shop.orders().length;
    this.story.differing = differing;
  }

  async #differing(): Promise<readonly string[]> {
    const { client } = this.#warehouse;
    return [
      ...(await differences(client, this.#simulator.shop, { shopKey: this.#shopKey })),
      ...(await unverifiedDays(client, this.#shopKey)),
    ];
  }

  async #sweep(request: SweepRequest, chapter?: Chapter): Promise<void> {
    const { requests } = this.#simulator;
    const began = this.#clock.now();
    this.#witness.begins(began);
    const stop = new AbortController();
    const mishap = chapter?.mishap;
    const { db } = this.#warehouse;
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
      // Counts read no day.
      if (asked.query['limit'] !== '1') this.#witness.asked(asked);
      if (mishap?.kind === 'budget' && mishap.at === number) this.#clock.pass({ milliseconds: BUDGET_MS });
      if (mishap?.kind === 'crash' && mishap.at === number) stop.abort(new Error('stopped'));
      if (number === MAX_REQUESTS) stop.abort(new Error('endless'));
    });
    this.story.sweeps += 1;
    try {
      await this.#syncOnce(request, stop.signal, mishap?.kind === 'database' ? failingAt(db, mishap.at) : db);
    } catch (error) {
      if (number >= MAX_REQUESTS) this.story.endless += 1;
      else if (stop.signal.aborted || mishap?.kind === 'database') this.story.crashes += 1;
      else if (isSaid(error)) this.story.refusals += 1;
      else throw error;
    } finally {
      unlisten();
      this.story.requests += number;
    }
    await this.#judge();
  }

  async #syncOnce(request: SweepRequest, signal: AbortSignal, db: Db): Promise<void> {
    const { counting, days, isStartGiven, odd, pageLimit } = this.#life;
    const first = PRESENT.toZonedDateTimeISO(ZONE)
      .toPlainDate()
      .subtract({ days: days + 1 });
    // What lies before a given start is not asked for.
    const historyFrom = isStartGiven && !odd.includes('past') ? first : undefined;
    const countEveryMs = counting === undefined ? 0 : COUNT_EVERY_MS;
    const shop = { shopKey: this.#shopKey, pageLimit, historyFrom, countEveryMs };
    const means = {
      now: this.#clock.now,
      signal,
      through: (api: ShopApi) => withoutGroups(this.#isCached ? keepCounts(api, this.#kept) : api),
      clock: hastyClock(),
      maxConcurrency: MAX_CONCURRENCY,
    };
    await sweepOnce(this.#simulator, db, request, shop, means);
  }

  #change(): void {
    this.#hand.change();
    this.#witness.changed();
  }

  async #judge(): Promise<void> {
    const before = this.#ledger;
    // What the shop became with a request that was interrupted.
    this.#witness.changed();
    this.#ledger = await readLedger(this.#warehouse.client, this.#shopKey);
    for (const [day, { verifiedAt, orders }] of this.#ledger) {
      if (before.get(day)?.verifiedAt === verifiedAt) continue;
      this.story.daysVerified += 1;
      const falseDay = this.#witness.judge(day, orders, Temporal.Instant.from(verifiedAt));
      if (falseDay !== undefined) this.story.falseDays.push(falseDay);
    }
    await this.#judgeWarranty();
    const isListed = (orderId: string) => this.#simulator.shop.order(Number(orderId)) !== undefined;
    const found = await contradictions(this.#warehouse.client, this.#shopKey, isListed);
    this.story.contradictions.push(...found);
  }

  /** Where `sql` says nothing below a result, each day's figures are the shop's, whether this sweep verified it or not. */
  async #judgeWarranty(): Promise<void> {
    const today = this.#clock.now().toZonedDateTimeISO(ZONE).toPlainDate().toString();
    const shown = await readWarranted(this.#warehouse.client, this.#shopKey, today);
    if (shown === undefined) return;
    this.story.warranties += 1;
    const falseDays = this.#witness.judgeAll(shown);
    this.story.falseWarranties.push(...falseDays);
  }

  #pass(duration: Temporal.DurationLike): void {
    this.#clock.pass(duration);
    this.#simulator.shop.tick(this.#clock.now(), { newOrders: 0, edits: 0 });
  }
}

/** Whether the sweep gave up in words of its own, as it may; any other error is a fault of the program. */
function isSaid(error: unknown): boolean {
  return [TerminalError, TransientError].some((kind) => error instanceof kind);
}
