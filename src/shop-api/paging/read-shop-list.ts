/** The whole list of a shop, for whoever compares it: what it shows, without the proof that a window takes. */
import { byTime, type Window } from '../../model/window.ts';
import { elementId, FARTHEST, type OrdersPage } from '../endpoints/list-orders.ts';
import { toQuery } from './list.ts';
import { placeRows } from './placed-rows.ts';
import { describeNoOrders } from './prove.ts';
import { PageFault, type PagingDeps, requestPage } from './request-page.ts';

/** How reading the whole list ended. */
export type ListEnd = {
  /** Orders received, each once, and elements that are none, by their text. */
  readonly ids: ReadonlySet<string>;
  /** Why the list could not be read to the end. */
  readonly problem: string | undefined;
  /** It was asked for with dates, and so holds no order without one. */
  readonly isDated: boolean;
};

/** A list is endless after this many pages, if it returned this many times as many orders as expected. */
const MIN_PAGES = 50;
const MAX_SURPLUS = 4;
/** Answers in a row without anything new that show that a list never stops moving. */
const MAX_IDLE = 50;
/** How often an empty page is requested again that must hold a row. */
const EMPTY_RETRIES = 2;
/** Orders that may be placed while the list is read. */
const FEW_NEW = 10;

type TakePage = (page: OrdersPage) => Promise<void>;

/**
 * Reads the list without dates, so that orders without a date come as well; with the farthest dates where a list without
 * any turns out to be a part of it. Rows may shift meanwhile: where two pages have no row in common, it goes back by a page.
 *
 * @param held number of stored orders: with the shop's total, it tells how many to expect
 * @param takePage receives each page, which may repeat rows
 */
export async function readShopList(deps: PagingDeps, held: number, takePage: TakePage): Promise<ListEnd> {
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
  takePage: TakePage,
): Promise<Pages> {
  const ids = new Set<string>();
  let ends: readonly Temporal.PlainDateTime[] = [];
  let [start, pages, empty, idle, likely] = [0, 0, 0, 0, held];
  const end = (problem?: string): Pages => ({ ids, problem, ends });
  for (;;) {
    const page = await askPage(deps, dates, start);
    if (page === undefined) return end(`the shop fails on the page after ${ids.size} orders`);
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
    [empty, pages, likely] = [0, pages + 1, Math.max(likely, page.total ?? 0)];
    if (isNew) await takePage(page);
    for (const key of own) ids.add(key);
    const times = [...ends, ...placeRows(deps, page.rows).map(({ time }) => time)].toSorted(byTime);
    ends = [...times.slice(0, 1), ...times.slice(-1)];
    if (pages >= MIN_PAGES && ids.size > MAX_SURPLUS * likely)
      return end(`it does not end: ${ids.size} orders received, ${likely} expected`);
    if (page.received === 1) return end();
    start += page.received - 1;
  }
}

const nameOf = (element: OrdersPage['malformed'][number]) => elementId(element) ?? JSON.stringify(element);

/** @returns undefined where the shop fails at the page */
async function askPage(
  deps: PagingDeps,
  dates: Window | undefined,
  start: number,
): Promise<OrdersPage | undefined> {
  const { limit } = deps.book.profile;
  try {
    return await requestPage(deps, dates === undefined ? { start, limit } : toQuery(dates, start, limit));
  } catch (error) {
    if (error instanceof PageFault) return undefined;
    throw error;
  }
}

/** Whether dates show orders that the list lacks: it may be cut at a position, or be that of the last few days. */
async function isAnyBeyond(deps: PagingDeps, { ids, ends }: Pages): Promise<boolean> {
  const [oldest, newest] = [ends[0], ends.at(-1)];
  if (oldest === undefined || newest === undefined) return false;
  const countUnlisted = async (dates: Window) => {
    const { rows = [] } = (await askPage(deps, dates, 0)) ?? {};
    return rows.filter(({ orderId }) => !ids.has(orderId)).length;
  };
  const older = await countUnlisted({ ...FARTHEST, to: oldest });
  return older > 0 || (await countUnlisted({ ...FARTHEST, from: newest })) > FEW_NEW;
}
