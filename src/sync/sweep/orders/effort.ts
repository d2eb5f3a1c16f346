import type { ListRow } from '../../../shop-api/endpoints/list-orders.ts';
import type { ListDeps } from '../../../shop-api/paging/request-page.ts';
import type { WindowReading } from '../../../shop-api/paging/window-reading.ts';
import type { Window } from '../../../window.ts';

/** Windows within a day that bring less than a page each. */
const MAX_POOR = 20;
/** List requests that may prove nothing before a day is given up, and so many more for each page of it. */
const MAX_VAIN = 60;
const VAIN_PER_PAGE = 8;

/** What a run spends on parts of days: a shop that never shows more of a day must not be asked for ever. */
export class Effort {
  readonly api: ListDeps['api'];
  #requests = 0;
  #day = '';
  #poor = 0;
  #vain = 0;
  /** Orders that were seen in vain. */
  #seen: readonly ListRow[] = [];

  constructor({ listOrders }: ListDeps['api']) {
    this.api = {
      listOrders: (...request) => {
        this.#requests++;
        return listOrders(...request);
      },
    };
  }

  /** @returns the reading, or, if that was too much in vain, the window as one that cannot be proven */
  judge(window: Window, minutes: number, reading: WindowReading, pageRows: number): WindowReading {
    const requests = this.#requests;
    this.#requests = 0;
    const rows = 'rows' in reading ? (reading.rows ?? []) : [];
    // The search for rows that the shop fails on has bounds of its own.
    const isFault = reading.kind === 'cut' && reading.isFault === true;
    const isProven = reading.kind === 'whole';
    const vain = this.#vain + (isFault ? 0 : requests);
    const seen = [...this.#seen, ...rows];
    [this.#vain, this.#seen] = reading.kind === 'cut' ? [vain, seen] : [0, []];
    // What was seen of the day is loaded, wherever its reading ended.
    if (reading.kind === 'unproven' && reading.isOutdated !== true) return { ...reading, rows: seen };
    const day = window.to.subtract({ minutes: 1 }).toPlainDate().toString();
    const isRich = isProven && rows.length >= pageRows;
    this.#poor = isRich || isFault || day !== this.#day ? 0 : this.#poor + 1;
    this.#day = day;
    const why = reading.kind === 'cut' && reading.why !== undefined ? `: ${reading.why}` : '';
    if (this.#poor >= MAX_POOR) {
      [this.#poor, this.#seen] = [0, []];
      return unproven(
        window,
        seen,
        `the shop returns the orders of ${day} in too many parts to prove them complete${why}`,
      );
    }
    const most = MAX_VAIN + VAIN_PER_PAGE * Math.ceil(rows.length / pageRows);
    if (reading.kind !== 'cut' || isFault || minutes > DAY_MINUTES || vain <= most) return reading;
    this.#vain = 0;
    this.#seen = [];
    return unproven(window, seen, `${vain} list requests did not prove the orders of ${day} complete${why}`);
  }
}

const DAY_MINUTES = 24 * 60;

const unproven = (window: Window, rows: readonly ListRow[], reason: string) =>
  ({ kind: 'unproven', window, rows, reason }) as const;
