import pLimit from 'p-limit';

import { readBuyer } from '../../../normalize/order.ts';
import { allowance, MAX_BATCH } from '../../../plan/load/allowance.ts';
import { requestUsersAgain } from '../../../warehouse/directory/users.ts';
import { analyzeGrownTables } from '../../../warehouse/ops/refresh-summaries.ts';
import { readProfiles } from '../../../warehouse/orders/persons.ts';
import type { Sweep } from '../../run/context.ts';
import { loadNormalized, writeNormalized } from '../../run/write-normalized.ts';
import { type Content, fetchOrder, type Listed, prepareOrder } from './prepare-order.ts';

/** Orders that are requested and not yet written: two batches keep the shop busy while the database works, more cost memory. */
const MOST_UNWRITTEN = 2 * MAX_BATCH;
/** As long as few are written: one batch that is being written, and what keeps the shop busy meanwhile. */
const mostUnwritten = (written: number) => Math.min(MOST_UNWRITTEN, 3 * allowance(written));
/** Contents requested at once: a list request waits behind them, so that what was listed is written before more is. */
const MOST_CONTENTS = 64;
/** With more orders than this in the queue, reading the next window can wait. */
const ENOUGH = 1_000;

type Fetched = { readonly listed: Listed; readonly content: Content | undefined };
type Load = { readonly fingerprint: string; readonly written: Promise<void>; isWritten: boolean };

/**
 * The orders between their list and the warehouse, bounded by their number: contents are requested in the order of the list, and
 * written as they come, so that no order waits for a slow one. A process that is killed again and again loses little: the first
 * batches are small, and later ones as large as what was written before.
 */
export class OrderQueue {
  readonly #sweep: Sweep;
  /** Little at first: a process that is killed soon must have written orders by then. */
  readonly #unwritten = pLimit(mostUnwritten(0));
  readonly #requests = pLimit(MOST_CONTENTS);
  readonly #ready: (Pick<PromiseWithResolvers<void>, 'resolve' | 'reject'> & Fetched)[] = [];
  readonly #begun = Promise.withResolvers<void>();
  /** What came last of each order, the oldest first: for longer than a comparison with the warehouse takes. */
  readonly #latest = new Map<string, Load>();
  #left = 0;
  #fetching = 0;
  #written = 0;
  #writing = Promise.resolve();
  #settled = Promise.withResolvers<void>();

  constructor(sweep: Sweep) {
    this.#sweep = sweep;
  }

  get isEmpty(): boolean {
    return this.#left === 0;
  }

  /** Resolves when so many orders are written that requests of other kinds may go beside theirs. */
  get begun(): Promise<void> {
    return this.#begun.promise;
  }

  /** Resolves when it is time to read another window. */
  async room(): Promise<void> {
    // A process that is killed soon must have written orders by then, rather than read lists.
    const enough = () => (this.#written < MAX_BATCH ? allowance(this.#written) : ENOUGH);
    while (this.#left > enough()) await this.#settled.promise;
  }

  /**
   * Resolves when orders are written.
   *
   * @throws the first error, when all else that came is written: what lines failed with, if the shop refuses more than one order, or why
   *   orders could not be written
   */
  async load(orders: readonly Listed[]): Promise<void> {
    await settleAll(orders.map((listed) => this.#follow(listed)));
  }

  /** One that another list showed too is asked for once; where it has changed meanwhile, after it was written as it was. */
  #follow(listed: Listed): Promise<void> {
    const { fingerprint, row } = listed;
    const before = this.#latest.get(row.orderId);
    if (before?.fingerprint === fingerprint) return before.written;
    this.#left++;
    const load = async () => this.#unwritten(() => this.#load(listed));
    const written = (before === undefined ? load() : before.written.then(load)).finally(() => {
      latest.isWritten = true;
      this.#left--;
      this.#settled.resolve();
      this.#settled = Promise.withResolvers<void>();
    });
    const latest: Load = { fingerprint, written, isWritten: false };
    this.#latest.delete(row.orderId);
    this.#latest.set(row.orderId, latest);
    for (const [orderId, { isWritten }] of this.#latest) {
      if (!isWritten || this.#latest.size <= ENOUGH) break;
      this.#latest.delete(orderId);
    }
    return written;
  }

  async #load(listed: Listed): Promise<void> {
    this.#fetching++;
    const { promise, ...settle } = Promise.withResolvers<void>();
    try {
      const content = await this.#requests(() => fetchOrder(this.#sweep, listed));
      this.#sweep.state.counters.ordersRead++;
      this.#ready.push({ ...settle, listed, content });
    } catch (error) {
      this.#sweep.ports.fail(error);
      throw error;
    } finally {
      this.#fetching--;
      if (this.#isEnough()) this.#writing = this.#writing.then(() => this.#writeReady());
    }
    await promise;
  }

  /** If no other content is in flight, as after a refusal, what has arrived is written too. */
  #isEnough(): boolean {
    const isIdle = this.#fetching === 0 && this.#ready.length > 0;
    return isIdle || this.#ready.length >= allowance(this.#written);
  }

  async #writeReady(): Promise<void> {
    while (this.#isEnough()) {
      const batch = this.#ready.splice(0, MAX_BATCH);
      try {
        await writeBatch(this.#sweep, batch);
        this.#written += batch.length;
        this.#unwritten.concurrency = mostUnwritten(this.#written);
        if (this.#written >= MAX_BATCH) this.#begun.resolve();
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
  }
}

/** Waits for all, even after a failure. @throws the first error */
export async function settleAll(promises: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(promises)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

/** New orders between two checks whether tables have grown several times over. */
const ORDERS_PER_CHECK = 1_000;

/** Normalizes orders and writes them in one transaction, with their lines, history, payloads and rejections. */
async function writeBatch(sweep: Sweep, batch: readonly Fetched[]): Promise<void> {
  const { ports, state } = sweep;
  const { db, now, shop } = ports;
  const { counters, lineFailures } = state;
  const buyers = batch.map(({ listed }) => readBuyer(listed.row.raw).buyer_oid ?? '');
  const isNews = batch.some(({ listed: { stored, fingerprint } }) => stored?.fingerprint !== fingerprint);
  if (isNews) counters.hasWritten = true;
  const { orders, loaded } = await writeNormalized(sweep, async (tx, shopId) => {
    // Whoever reads an account later looks for its person in what is stored of its orders by then.
    const profiles = await readProfiles(tx, shopId, [...new Set(buyers)].filter(Boolean));
    const prepared = batch.map(({ listed, content }, at) =>
      prepareOrder(sweep, listed, content, profiles.get(buyers[at] ?? '')),
    );
    const written = await loadNormalized(tx, shopId, prepared, { now: now() });
    const accounts = written.orders.flatMap(({ row }) => row.buyer_oid ?? []);
    // Where no person is stored, what is typed of one is found when the account is read.
    if (shop.pseudonymize !== undefined) await requestUsersAgain(tx, shopId, accounts);
    return written;
  });
  // Lines that were read again, of an order that is otherwise the same.
  if (loaded.lines > 0) counters.hasWritten = true;
  const isChanged = ({ observedAt, row, seenAt }: (typeof orders)[number]) =>
    !loaded.added.has(row.order_id) && observedAt.equals(seenAt);
  // After the first new orders, since the plans made for their checks serve all later ones, and from time to time.
  const checksOf = (count: number) => Math.ceil(count / ORDERS_PER_CHECK);
  const mayHaveGrown = checksOf(counters.orders_new) < checksOf(counters.orders_new + loaded.added.size);
  counters.orders_new += loaded.added.size;
  counters.orders_changed += orders.filter(isChanged).length;
  if (mayHaveGrown) await analyzeGrownTables(db);
  for (const { lines, row } of orders)
    if (lines?.kind === 'failed') lineFailures.set(row.order_id, lines.reason);
}
