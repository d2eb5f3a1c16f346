import type { ListDeps } from '../../../shop-api/paging/request-page.ts';
import type { WindowReading } from '../../../shop-api/paging/window-reading.ts';
import type { Window } from '../../../model/window.ts';

/** Windows within a day that bring less than a page each. */
const MAX_POOR = 20;
/** List requests that may prove nothing before a day is given up, and so many more for each page of it. */
const MAX_VAIN = 60;
const VAIN_PER_PAGE = 8;

/** What a run spends on parts of days: a shop that never shows more of a day must not be asked for ever. */
export class Effort {
  readonly api: ListDeps['api'];
  #requests = 0;
  /** Rows of the longest list of the reading. */
  #rows = 0;
  #day = '';
  #poor = 0;
  #vain = 0;

  constructor({ listOrders }: ListDeps['api']) {
    this.api = {
      listOrders: async (query, ...others) => {
        this.#requests++;
        const page = await listOrders(query, ...others);
        this.#rows = Math.max(this.#rows, (query.start ?? 0) + page.received);
        return page;
      },
    };
  }

  /** @returns the reading, or, if that was too much in vain, the window as one that cannot be proven */
  judge(window: Window, minutes: number, reading: WindowReading, pageRows: number): WindowReading {
    const [requests, listed] = [this.#requests, this.#rows];
    [this.#requests, this.#rows] = [0, 0];
    const day = window.to.subtract({ minutes: 1 }).toPlainDate().toString();
    // The search for rows that the shop fails on has bounds of its own.
    const isFault = reading.kind === 'cut' && reading.isFault === true;
    this.#vain = reading.kind === 'cut' ? this.#vain + (isFault ? 0 : requests) : 0;
    if (reading.kind === 'unproven') return reading;
    const isRich = reading.kind === 'whole' && reading.rows.length >= pageRows;
    this.#poor = isRich || isFault || day !== this.#day ? 0 : this.#poor + 1;
    this.#day = day;
    const why = reading.kind === 'cut' && reading.why !== undefined ? `: ${reading.why}` : '';
    if (this.#poor >= MAX_POOR) {
      this.#poor = 0;
      const what = `the shop returns the orders of ${day} in too many parts to prove them complete`;
      return { kind: 'unproven', window, reason: `${what}${why}` };
    }
    const most = MAX_VAIN + VAIN_PER_PAGE * Math.ceil(listed / pageRows);
    const vain = this.#vain;
    if (reading.kind !== 'cut' || isFault || minutes > DAY_MINUTES || vain <= most) return reading;
    this.#vain = 0;
    return {
      kind: 'unproven',
      window,
      reason: `${vain} list requests did not prove the orders of ${day} complete${why}`,
    };
  }
}

const DAY_MINUTES = 24 * 60;
