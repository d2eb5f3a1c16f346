import type { SplitWindow, UnprovenWindow } from '../../../shop-api/paging/reading.ts';
import { DAY_MINUTES } from '../../../plan/windows/window-plan.ts';
import type { Window } from '../../../model/window.ts';

/** Lists that a day may take, and so many more for each page of it, before it is given up. */
const MAX_LISTS = 40;
const LISTS_PER_PAGE = 4;

/** Lists that a reading may take without proving anything by them. */
const MAX_IN_VAIN = 400;

/** What is spent on the windows of one day, and in vain on all: what a shop never shows whole must not be asked for ever. */
export class DayBudget {
  #day = '';
  #requests = 0;
  #ofWindow = 0;
  #inVain = 0;
  /** Rows of its windows that were read whole, and of the longest other list. */
  #rows = 0;
  #longest = 0;
  #pageRows = 1;
  #why = '';
  /** The last window brought nothing to go on with. */
  isOdd = false;

  /** @param pageRows rows that one page is expected to hold */
  begin({ to }: Window, pageRows: number): void {
    const day = to.subtract({ minutes: 1 }).toPlainDate().toString();
    this.#pageRows = Math.max(1, pageRows);
    this.#ofWindow = 0;
    if (day === this.#day) return;
    [this.#day, this.#requests, this.#rows, this.#longest, this.#why] = [day, 0, 0, 0, ''];
  }

  noteRequest(): void {
    this.#requests++;
    this.#ofWindow++;
  }

  notePage(start: number, received: number): void {
    this.#longest = Math.max(this.#longest, start + received);
  }

  noteWhole(rows: number, minutes: number): void {
    this.isOdd = false;
    this.#rows += rows;
    if (minutes > DAY_MINUTES) this.#requests = 0;
  }

  noteSplit({ cause, why, sample }: SplitWindow, minutes: number): void {
    this.isOdd = sample.length === 0;
    // The first one is likely the cause of those that follow.
    if (cause !== 'long' && this.#why === '') this.#why = `: ${why}`;
    if (minutes > DAY_MINUTES) this.#requests = 0;
  }

  /** The window was not proven. */
  noteVain(): void {
    this.#inVain += this.#ofWindow;
  }

  /** Whether so much was in vain that the reading ends. */
  get isHopeless(): boolean {
    return this.#inVain > MAX_IN_VAIN;
  }

  get isSpent(): boolean {
    const pages = Math.ceil((this.#rows + this.#longest) / this.#pageRows);
    return this.#requests > MAX_LISTS + LISTS_PER_PAGE * pages;
  }

  giveUp(window: Window): UnprovenWindow {
    const reason = `${this.#requests} list requests did not prove the orders of ${this.#day} complete${this.#why}`;
    return { kind: 'unproven', window, reason };
  }
}
