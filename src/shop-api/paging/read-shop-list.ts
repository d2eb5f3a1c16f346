/** The whole list of a shop, for whoever compares it: what it shows, without the proof that a window takes. */
import { byTime, type Window } from '../../model/window.ts';
import { elementId, type OrdersPage } from '../endpoints/list-orders.ts';
import { lowerLimits } from '../endpoints/order-list.ts';
import { FARTHEST } from '../endpoints/list-orders.ts';
import { toQuery } from './list.ts';
import { withLimit } from './page-profile.ts';
import { placeRows } from './placed-rows.ts';
import { describeNoOrders } from './prove.ts';

import { PageFault, type PagingDeps, requestPage, unlessFault } from './request-page.ts';

/** How reading the whole list ended. */
export type ListEnd = {
  /** Orders received, each once, and elements that are none, by their text. */
  readonly ids: ReadonlySet<string>;
  /** The shop's own count; undefined where it gives none. */
  readonly total: number | undefined;
  /** Why the list could not be read to the end. */
  readonly problem: string | undefined;
  /** It was asked for with dates, and so holds no order without one. */
  readonly isDated: boolean;
};

/** A list is endless after this many pages, if it returned this many times as many orders as expected. */
const MIN_PAGES = 50;
const MAX_SURPLUS = 4;
/** Pages requested at once, though each is used only after the one before it. */
const MAX_AHEAD = 4;
/** How often an empty page is requested again that must hold a row. */
const EMPTY_RETRIES = 2;
/** Answers in a row without anything new that show that a list never stops moving. */
const MAX_IDLE = 50;
/** Orders that may be placed while the list is read. */
const FEW_NEW = 10;

/**
 * Reads the list without dates, so that orders without a date come as well; with the farthest dates where a list without
 * any turns out to be a part of it. Rows may shift meanwhile: where two pages have no row in common, it goes back by a page.
 *
 * @param held number of stored orders: with the shop's total, it tells how many to expect
 * @param takePage receives each page, which may repeat rows
 */
export async function readShopList(
  deps: PagingDeps,
  held: number,
  takePage: (page: OrdersPage) => Promise<void>,
): Promise<ListEnd> {
  const undated = await readPages(deps, undefined, held, takePage);
  if (undated.problem !== undefined || !(await isAnyBeyond(deps, undated)))
    return { ...undated, isDated: false };
  const dated = await readPages(deps, FARTHEST, held, takePage);
  const isCut = dated.problem === undefined && (await isAnyBeyond(deps, dated));
  return { ...dated, problem: isCut ? 'the shop shows a part of it only' : dated.problem, isDated: true };
}

type Pages = Omit<ListEnd, 'isDated'> & {
  /** Created minutes of the oldest and the newest order. */
  readonly ends: readonly Temporal.PlainDateTime[];
};

async function readPages(
  deps: PagingDeps,
  dates: Window | undefined,
  held: number,
  takePage: (page: OrdersPage) => Promise<void>,
): Promise<Pages> {
  const { book } = deps;
  const ids = new Set<string>();
  const ahead = createPagesAhead((at: number) => {
    const { limit } = book.profile;
    return unlessFault(
      requestPage(deps, dates === undefined ? { start: at, limit } : toQuery(dates, at, limit)),
    );
  });
  let ends: readonly Temporal.PlainDateTime[] = [];
  let [total, first]: (number | undefined)[] = [];
  let [start, pages, empty, idle] = [0, 0, 0, 0];
  const end = (problem?: string): Pages => ({ ids, total, problem, ends });
  for (;;) {
    const page = await ahead.take(start);
    if (page instanceof PageFault) {
      const [lower] = lowerLimits(book.profile.limit);
      if (lower === undefined) return end(`the shop fails on the page after ${ids.size} orders`);
      book.profile = withLimit(book.profile, lower);
      continue;
    }
    if (page.outdated !== undefined) return end(page.outdated);
    if (page.received === 0 && empty++ < EMPTY_RETRIES) continue;
    if (page.received === 0 && start === 0) return end(describeNoOrders(page.emptyForm));
    if (idle > MAX_IDLE) return end('its rows kept moving');
    const own = [...page.rows.map(({ orderId }) => orderId), ...page.malformed.map(nameOf)];
    const isJoined = start === 0 || own.some((key) => ids.has(key));
    const isNew = own.some((key) => !ids.has(key));
    idle = isJoined && isNew ? 0 : idle + 1;
    if (!isJoined) {
      start = Math.max(0, start - Math.max(1, page.received));
      continue;
    }
    if (start > 0 && !isNew && pages === 1 && page.received > 1) return end('the shop ignores "start"');
    [empty, pages] = [0, pages + 1];
    total ??= page.total;
    if (isNew) await takePage(page);
    for (const key of own) ids.add(key);
    first ??= page.received;
    const times = [...ends, ...placeRows(deps, page.rows).map(({ time }) => time)].toSorted(byTime);
    ends = [...times.slice(0, 1), ...times.slice(-1)];
    const likely = Math.max(held, total ?? 0);
    if (pages >= MIN_PAGES && ids.size > MAX_SURPLUS * likely)
      return end(`it does not end: ${ids.size} orders received, ${likely} expected`);
    if (page.received === 1) return end();
    start += page.received - 1;
    // After a short page the next position is not known, so requests sent ahead would be wasted.
    if (page.received === first && book.answered === undefined)
      ahead.expect(start, page.received - 1, likely);
  }
}

const nameOf = (element: OrdersPage['malformed'][number]) => elementId(element) ?? JSON.stringify(element);

/** Whether dates show orders that the list lacks: it may be cut at a position, or be that of the last few days. */
async function isAnyBeyond(deps: PagingDeps, { ids, ends }: Pages): Promise<boolean> {
  const [oldest, newest] = [ends[0], ends.at(-1)];
  if (oldest === undefined || newest === undefined) return false;
  const countUnlisted = async (dates: Window) => {
    const page = await unlessFault(requestPage(deps, toQuery(dates, 0, deps.book.profile.limit)));
    return page instanceof PageFault ? 0 : page.rows.filter(({ orderId }) => !ids.has(orderId)).length;
  };
  const older = await countUnlisted({ ...FARTHEST, to: oldest });
  return older > 0 || (await countUnlisted({ ...FARTHEST, from: newest })) > FEW_NEW;
}

function createPagesAhead<Answer>(ask: (start: number) => Promise<Answer>) {
  const pending = new Map<number, Promise<Answer>>();
  return {
    /** The answer for a position: the pending one, or that of a new request. */
    async take(start: number): Promise<Answer> {
      const answer = pending.get(start);
      // After a position that was not expected, none of the others will be.
      if (answer === undefined) pending.clear();
      pending.delete(start);
      return answer ?? ask(start);
    },
    /** Requests the positions from one on, as far as orders are likely there. */
    expect(next: number, step: number, likely: number): void {
      for (let start = next; start < likely && start < next + MAX_AHEAD * step; start += step) {
        if (pending.has(start)) continue;
        const answer = ask(start);
        // Whoever takes the answer sees its error; that of an unused answer is ignored.
        answer.catch(() => undefined);
        pending.set(start, answer);
      }
    },
  };
}
