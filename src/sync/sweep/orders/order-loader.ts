import { allowance } from '../../../plan/load/allowance.ts';
import type { ListRow } from '../../../shop-api/endpoints/list-orders.ts';
import { readOrdersById } from '../../../warehouse/orders/stored-orders.ts';
import type { Sweep } from '../../run/context.ts';
import { compareWindow } from './compare-window.ts';
import { concludeWindow, type ReadDays } from './conclude-window.ts';
import { MAX_WINDOWS } from './known-orders.ts';
import type { WholeWindow } from '../../../shop-api/paging/window-reading.ts';
import { toListed } from './prepare-order.ts';
import { createOrderWriter, type OrderWriter, settleAll } from './write-orders.ts';

/** With more orders than this still to be fetched, reading the next window can wait. */
const ENOUGH_AHEAD = 1_000;

/** Loads windows: compares them with what is stored, loads what differs, and concludes them in the order of their reading. */
export type OrderLoader = {
  /** Resolves when requests of other kinds may go beside contents: a process that is killed soon must write orders first. */
  begun(): Promise<void>;
  /** Fetches orders of a window that is still being read, as far as they are new and little else is to be fetched. */
  fetchAhead(rows: readonly ListRow[]): void;
  /** Resolves when it is time to read another window, usually before the last one is written. */
  room(): Promise<void>;
  /**
   * Takes a window that was read whole.
   *
   * @param read days that this window completes, or leaves partly read
   */
  add(reading: WholeWindow, read: ReadDays): Promise<void>;
  readonly writer: OrderWriter;
  /** A window of this sweep was read that looked like this shop's. */
  readonly isOurs: boolean;
  /** Resolves when all windows are written. @throws the error of the first that could not be */
  finish(): Promise<void>;
};

/** @param onFailure called at once with the error that ended a window, since no later one is loaded then */
export function createOrderLoader(sweep: Sweep, onFailure: (error: unknown) => void): OrderLoader {
  const { counters } = sweep.state;
  const writer = createOrderWriter(sweep);
  const waiting: Promise<void>[] = [];
  const writing: Promise<void>[] = [];
  const underway = new Set<WholeWindow>();
  let concluded = 0;
  let isOurs = false;
  let last = Promise.resolve();
  let ahead = Promise.resolve();
  return {
    begun: () => Promise.race([writer.begun, last]),
    fetchAhead(rows) {
      // One after the other: each takes of the room that those before it have left.
      ahead = ahead.then(() => fetchNew(sweep, writer, rows));
      ahead.catch(onFailure);
    },
    async add(reading, read) {
      // An order that is looked for among the stored ones now may be written before the answer comes, and fetched again.
      await ahead;
      const compared = await compareWindow(sweep, reading, [...underway]);
      isOurs ||= compared.foreign === undefined;
      underway.add(reading);
      const { held, toLoad } = compared;
      counters.ordersRead += reading.rows.length - toLoad.length;
      const written = toLoad.map((listed) => {
        const asked = Promise.withResolvers<void>();
        waiting.push(asked.promise);
        const own = writer.write(listed, held.get(listed.row.orderId), reading.askedAt, asked.resolve);
        own.catch((error: unknown) => {
          asked.resolve();
          // Nothing more is requested from a shop that refuses; what came before is written.
          onFailure(error);
        });
        return own;
      });
      last = settleAll([last, ...written]).then(async () => {
        await concludeWindow(sweep, compared, read);
        underway.delete(reading);
        concluded++;
      });
      last.catch(onFailure);
      writing.push(last.catch(() => undefined));
    },
    async room() {
      // A process that ends soon must not spend its requests on windows that it does not get to conclude.
      while (writing.length >= allowance(concluded, MAX_WINDOWS, 2)) await writing.shift();
      while (waiting.length > ENOUGH_AHEAD) await waiting.shift();
    },
    writer,
    get isOurs() {
      return isOurs;
    },
    finish: () => settleAll([ahead, last]),
  };
}

/** Fetches those of the first rows that are not stored, as far as there is room. */
async function fetchNew(
  { ports, found }: Sweep,
  writer: OrderWriter,
  rows: readonly ListRow[],
): Promise<void> {
  const { privacy, db, lease } = ports;
  const next = rows.slice(0, Math.max(0, writer.roomAhead)).map((row) => toListed(privacy, row));
  if (next.length === 0) return;
  const ids = next.map(({ row }) => row.orderId);
  const held = new Set((await readOrdersById(db, lease.shopId, ids)).map(({ orderId }) => orderId));
  if (held.size > 0) found.recognition.isSeen = true;
  for (const listed of next) {
    if (writer.roomAhead > 0 && !held.has(listed.row.orderId)) writer.fetchAhead(listed);
  }
}
