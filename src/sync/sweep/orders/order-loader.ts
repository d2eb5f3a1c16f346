import type { ListRow } from '../../../shop-api/endpoints/list-orders.ts';
import type { WholeWindow } from '../../../shop-api/paging/reading.ts';
import { readOrdersById } from '../../../warehouse/orders/stored-orders.ts';
import type { Sweep } from '../../run/context.ts';
import { compareWindow } from './compare-window.ts';
import type { ReadDay } from '../../../plan/days/day-progress.ts';
import { concludeWindow } from './conclude-window.ts';
import { toListed } from './prepare-order.ts';
import type { SeenOrder } from './seen-orders.ts';
import { loadListed, OrderWriter, settleAll } from './write-orders.ts';

/** With more orders than this still to be fetched, reading the next window can wait. */
const ENOUGH_AHEAD = 1_000;

/** Loads windows: compares them with what is stored, loads what differs, and concludes them in the order of their reading. */
export class OrderLoader {
  readonly #sweep: Sweep;
  readonly #onFailure: (error: unknown) => void;
  readonly writer: OrderWriter;
  readonly #waiting: Promise<void>[] = [];
  readonly #writing: Promise<void>[] = [];
  #concluded = 0;
  #last = Promise.resolve();
  #ahead = Promise.resolve();

  /** @param onFailure called at once with the error that ended a window, since no later one is loaded then */
  constructor(sweep: Sweep, onFailure: (error: unknown) => void) {
    this.#sweep = sweep;
    this.#onFailure = onFailure;
    this.writer = new OrderWriter(sweep);
  }

  /** Resolves when requests of other kinds may go beside contents: a process that is killed soon must write orders first. */
  async begun(): Promise<void> {
    await Promise.race([this.writer.begun, this.#last]);
  }

  /** Fetches orders of a window that is still being read, as far as they are new and little else is to be fetched. */
  fetchAhead(rows: readonly ListRow[]): void {
    // One after the other: each takes of the room that those before it have left.
    this.#ahead = this.#ahead.then(() => this.#fetchNew(rows));
    this.#ahead.catch(this.#onFailure);
  }

  async #fetchNew(rows: readonly ListRow[]): Promise<void> {
    const { ports } = this.#sweep;
    if (this.writer.roomAhead <= 0 || rows.length === 0) return;
    const ids = rows.map(({ orderId }) => orderId);
    const held = await readOrdersById(ports.db, ports.lease.shopId, ids);
    // In list order, as they are written later: others would be fetched besides before the first is written.
    for (const row of rows) {
      if (this.writer.roomAhead <= 0) return;
      if (!held.has(row.orderId)) this.writer.fetchAhead(toListed(ports.privacy, row), this.#onFailure);
    }
  }

  /** Resolves when it is time to read another window, usually before the last one is written. */
  async room(): Promise<void> {
    const { limits } = this.#sweep.ports;
    // Requests must not go to windows that the process, if it is killed, does not get to conclude.
    while (this.#writing.length >= limits.windows(this.#concluded)) await this.#writing.shift();
    while (this.#waiting.length > ENOUGH_AHEAD) await this.#waiting.shift();
  }

  async add(reading: WholeWindow, whole: readonly ReadDay[]): Promise<void> {
    // An order that is looked for among the stored ones now may be written before the answer comes, and fetched again.
    await this.#ahead;
    const compared = await compareWindow(this.#sweep, reading);
    const { held, toLoad } = compared;
    this.#sweep.state.counters.ordersRead += reading.rows.length - toLoad.length;
    const written = toLoad.map((listed) => {
      const asked = Promise.withResolvers<void>();
      this.#waiting.push(asked.promise);
      const stored = held.get(listed.row.orderId);
      const own = this.writer.write(listed, stored, reading.askedAt, asked.resolve);
      own.catch((error: unknown) => {
        asked.resolve();
        // Nothing more is requested from a shop that refuses; what came before is written.
        this.#onFailure(error);
      });
      return own;
    });
    this.#last = settleAll([this.#last, ...written]).then(async () => {
      await concludeWindow(this.#sweep, compared, whole);
      this.#concluded++;
    });
    this.#last.catch(this.#onFailure);
    this.#writing.push(this.#last.catch(() => undefined));
  }

  /** Resolves when all windows are written. @throws the error of the first that could not be */
  async finish(): Promise<void> {
    await settleAll([this.#ahead, this.#last]);
  }

  /**
   * Loads orders that lists showed and no window that was read whole holds, as far as they are not stored, or differ:
   * their days stay due.
   *
   * @param lacking orders that only the lists of other windows than their own show
   */
  async loadSeen(seen: readonly SeenOrder[], lacking: readonly ListRow[]): Promise<void> {
    const { db, lease, now, privacy } = this.#sweep.ports;
    const rows = new Map([...lacking, ...seen.map(({ row }) => row)].map((row) => [row.orderId, row]));
    if (rows.size === 0) return;
    const held = await readOrdersById(db, lease.shopId, [...rows.keys()]);
    const wanted = [...rows.values()].filter((row) => {
      const order = held.get(row.orderId);
      if (order === undefined) return true;
      return order.isMarked || order.fingerprint !== privacy.fingerprint(row.raw);
    });
    await loadListed(this.#sweep, wanted, held, now(), this.writer);
  }

  /**
   * Writes what was fetched ahead of a proof that never came: a shop may serve so few contents that others never would.
   */
  async keepFetched(): Promise<void> {
    const fetched = this.writer.fetchedAhead();
    const seenAt = this.#sweep.ports.now();
    await Promise.allSettled(fetched.map((listed) => this.writer.write(listed, undefined, seenAt)));
  }
}
