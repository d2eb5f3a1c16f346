import pLimit from 'p-limit';

import { allowance, MAX_BATCH } from '../../../plan/load/allowance.ts';
import type { ListRow } from '../../../shop-api/endpoints/list-orders.ts';
import { readProfiles } from '../../../warehouse/orders/profiles.ts';
import { requestUsersAgain } from '../../../warehouse/directory/users.ts';
import { analyzeGrownTables } from '../../../warehouse/ops/refresh-summaries.ts';
import { keepPayloads, loadOrders, type OrderToLoad } from '../../../warehouse/orders/load-orders.ts';
import type { HeldOrder } from '../../../warehouse/orders/stored-orders.ts';
import type { Sweep } from '../../run/context.ts';
import { writeNormalized } from '../../run/write-normalized.ts';
import { OrderFetcher } from './fetch-orders.ts';
import { type Listed, type Prepared, toListed, withoutProfile } from './prepare-order.ts';

/** An order, and the instant at which the walk saw it. */
type Observed = { readonly prepared: Prepared; readonly seenAt: Temporal.Instant };

/** Has the lines of listed orders fetched, and writes what has come, so that no order waits for a slow one. */
export class OrderWriter {
  readonly #sweep: Sweep;
  readonly #fetcher: OrderFetcher;
  readonly #unwritten;
  readonly #underway = new Map<string, Promise<void>>();
  readonly #ready: (Pick<PromiseWithResolvers<void>, 'resolve' | 'reject'> & Observed)[] = [];
  readonly #begun = Promise.withResolvers<void>();
  #fetching = 0;
  #written = 0;
  #writing = Promise.resolve();

  constructor(sweep: Sweep) {
    this.#sweep = sweep;
    this.#fetcher = new OrderFetcher(sweep);
    this.#unwritten = pLimit(sweep.ports.limits.orders(0));
  }

  /** Orders by id, each from the moment that it is to be written until it is. */
  get underway(): ReadonlySetLike<string> {
    return this.#underway;
  }

  /** Resolves when so many orders are written that requests of other kinds may go beside theirs. */
  get begun(): Promise<void> {
    return this.#begun.promise;
  }

  /** How many more orders may be fetched ahead of the proof that they are all, so that no slot is idle meanwhile. */
  get roomAhead(): number {
    const { concurrency, activeCount, pendingCount } = this.#unwritten;
    return concurrency - this.#fetcher.ahead - activeCount - pendingCount;
  }

  /**
   * Fetches the lines of an order that is not stored, to be written when its list has turned out to be whole.
   *
   * @param onFailure called at once if the shop refuses more than this order
   */
  fetchAhead(listed: Listed, onFailure: (error: unknown) => void): void {
    if (!this.#underway.has(listed.row.orderId)) this.#fetcher.fetchAhead(listed, onFailure);
  }

  /** Of the orders that were fetched ahead, those that have come and are not written. */
  fetchedAhead(): readonly Listed[] {
    return this.#fetcher.fetchedAhead();
  }

  /**
   * Resolves when an order is written. Of two observations of one order the later one wins.
   *
   * @param onAsked called when its lines are being requested
   * @throws what its lines failed with, if the shop refuses more than this order, or why it could not be written
   */
  async write(
    listed: Listed,
    held: HeldOrder | undefined,
    seenAt: Temporal.Instant,
    onAsked?: () => void,
  ): Promise<void> {
    const { orderId } = listed.row;
    const earlier = this.#underway.get(orderId);
    const own = this.#unwritten(async () => {
      await earlier?.catch(() => undefined);
      this.#fetching++;
      const { promise, ...settle } = Promise.withResolvers<void>();
      try {
        const prepared = await this.#fetcher.fetch(listed, held, onAsked);
        this.#sweep.state.counters.ordersRead++;
        this.#ready.push({ ...settle, prepared, seenAt });
      } finally {
        this.#fetching--;
        if (this.#isEnough()) this.#writing = this.#writing.then(() => this.#writeReady());
      }
      await promise;
    });
    this.#underway.set(orderId, own);
    try {
      await own;
    } finally {
      if (this.#underway.get(orderId) === own) this.#underway.delete(orderId);
    }
  }

  /** If nothing else is on its way, as where the shop refuses to go on, what has come is written too. */
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
        if (this.#written >= MAX_BATCH) this.#begun.resolve();
        this.#unwritten.concurrency = this.#sweep.ports.limits.orders(this.#written);
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
  }
}

/**
 * Loads orders from lists other than a window's.
 *
 * @throws the first error, when all else that came is written
 */
export async function loadListed(
  sweep: Sweep,
  rows: readonly ListRow[],
  held: ReadonlyMap<string, HeldOrder>,
  seenAt: Temporal.Instant,
  writer: OrderWriter = new OrderWriter(sweep),
): Promise<void> {
  const listed = rows.map((row) => toListed(sweep.ports.privacy, row));
  await settleAll(listed.map((order) => writer.write(order, held.get(order.row.orderId), seenAt)));
}

/** Waits for all, even after a failure. @throws the first error */
export async function settleAll(given: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(given)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

/** New orders between two checks whether tables have grown several times over. */
const ORDERS_PER_CHECK = 1_000;

/** Writes orders in one transaction, with their lines, history, payloads and rejections. */
async function writeBatch(sweep: Sweep, batch: readonly Observed[]): Promise<void> {
  const { ports, found } = sweep;
  const { counters } = sweep.state;
  const orders = batch.flatMap(({ prepared: { order }, seenAt }) =>
    order === undefined ? [] : [{ ...order, seenAt, observedAt: order.observedAt ?? seenAt }],
  );
  const unread = batch.flatMap(({ prepared, seenAt }) =>
    prepared.unread === undefined ? [] : [{ ...prepared.unread, seenAt }],
  );
  const rejections = batch.flatMap(({ prepared }) => prepared.rejections);
  const keys = (found: typeof orders) => found.map(({ row }) => row.order_id);
  const fetched = orders.filter(({ lines }) => lines.kind === 'fetched');
  const added = orders.filter((order) => order.lastSeenAt === undefined).length;
  const isChanged = ({ lastSeenAt, observedAt, seenAt }: OrderToLoad) =>
    lastSeenAt !== undefined && observedAt.equals(seenAt);
  const changed = orders.filter(isChanged).length;
  if (added + changed > 0) await ports.recordRun();
  const normalized = [
    { resource: 'order' as const, sourceKeys: keys(orders) },
    { resource: 'content' as const, sourceKeys: keys(fetched) },
  ];
  const lines = await writeNormalized(sweep, normalized, rejections, async (tx, shopId) => {
    const buyers = orders.flatMap(({ row }) => row.buyer_oid ?? []);
    const profiles = await readProfiles(tx, shopId, buyers);
    const clean = orders.map((order) => withoutProfile(ports.privacy, profiles, order));
    const lines = await loadOrders(tx, shopId, clean);
    // Where no person is stored, what is typed of one is found when the account is read.
    if (ports.shop.pseudonymize !== undefined) await requestUsersAgain(tx, shopId, buyers);
    await keepPayloads(tx, shopId, unread);
    return lines;
  });
  // Lines that were read again, of an order that is otherwise the same.
  if (lines > 0) await ports.recordRun();
  // After the first new orders, since the plans made for their checks serve all later ones, and from time to time.
  const checksOf = (count: number) => Math.ceil(count / ORDERS_PER_CHECK);
  const mayHaveGrown = checksOf(counters.orders_new) < checksOf(counters.orders_new + added);
  counters.orders_new += added;
  counters.orders_changed += changed;
  if (mayHaveGrown) await analyzeGrownTables(ports.db);
  for (const { prepared } of batch) {
    if (prepared.failure !== undefined && prepared.order !== undefined)
      found.lineFailures.set(prepared.order.row.order_id, prepared.failure);
  }
}
