/** The list read page by page, without the proof that a window needs. */
import { byTime, type Window } from '../../model/window.ts';
import { elementId, FARTHEST, type OrdersPage } from '../endpoints/list-orders.ts';
import { toQuery } from './list.ts';
import { placeRows } from './placed-rows.ts';
import { describeNoOrders } from './prove.ts';
import { type ListDeps, type PagingDeps, requestPage, unlessFault } from './request-page.ts';

/** How often an empty page is requested again that must hold a row. */
const EMPTY_RETRIES = 2;
/** A list with more than this many times the likely orders counts as endless. */
const MAX_SURPLUS = 4;
const FEW_ORDERS = 1_000;

/**
 * Reads the page at a position.
 *
 * @param limit rows to ask for @default as the shop serves
 * @throws PageFault where the shop fails at this page alone
 */
export async function readListPage(
  deps: ListDeps,
  start: number,
  {
    dates,
    limit = deps.book.profile.limit,
  }: { readonly dates?: Window | undefined; readonly limit?: number },
): Promise<OrdersPage> {
  const query = dates === undefined ? { start, limit } : toQuery(dates, start, limit);
  let page = await requestPage(deps, query);
  for (let retry = 0; page.received === 0 && retry < EMPTY_RETRIES; retry++)
    page = await requestPage(deps, query);
  return page;
}

/** Whether a page shows nothing after the row that it was to begin with, or ends with the row that the one before it ended with. */
export function isLastPage({ received, rows }: OrdersPage, last: string | undefined): boolean {
  return received <= 1 || (last !== undefined && rows.at(-1)?.orderId === last);
}

/** @param likely orders that there may be, by what is stored and what the shop says */
export const isEndless = (orders: number, likely: number) =>
  orders > MAX_SURPLUS * Math.max(likely, FEW_ORDERS);

/** How reading the whole list ended. */
export type ListEnd = {
  /** Orders received, each once, and elements that are none, by their text. */
  readonly ids: ReadonlySet<string>;
  /** Why the list could not be read to the end. */
  readonly problem: string | undefined;
  /** It was asked for with dates, and so holds no order without one. */
  readonly isDated: boolean;
};

/** Answers in a row without anything new that show that a list never stops moving. */
const MAX_IDLE = 50;
/** Orders that may be placed while the list is read. */
const FEW_NEW = 10;

type TakePage = (page: OrdersPage) => Promise<void>;

/**
 * Reads the list without dates, so that orders without a date come as well; with the farthest dates where a list without
 * any turns out to be a part of it.
 *
 * @param stored number of stored orders: with the shop's total, it gives the expected number
 * @param takePage receives each page, which may repeat rows
 */
export async function readShopList(deps: PagingDeps, stored: number, takePage: TakePage): Promise<ListEnd> {
  const undated = await readPages(deps, undefined, stored, takePage);
  if (undated.problem !== undefined || !(await isAnyBeyond(deps, undated)))
    return { ...undated, isDated: false };
  const dated = await readPages(deps, FARTHEST, stored, takePage);
  const isCut = dated.problem === undefined && (await isAnyBeyond(deps, dated));
  return { ...dated, problem: isCut ? 'the shop shows a part of it only' : dated.problem, isDated: true };
}

type Pages = Omit<ListEnd, 'isDated'> & {
  /** Created minutes of the oldest and the newest order. */
  readonly ends: readonly Temporal.PlainDateTime[];
};

/** A page joins those before it where it shows any order of them; where rows have shifted, so that it does not, a page before it is read. */
async function readPages(
  deps: PagingDeps,
  dates: Window | undefined,
  stored: number,
  takePage: TakePage,
): Promise<Pages> {
  const ids = new Set<string>();
  let ends: readonly Temporal.PlainDateTime[] = [];
  let [idle, likely] = [0, stored];
  const end = (problem?: string): Pages => ({ ids, problem, ends });
  let [start, rows] = [0, 0];
  let last: string | undefined;
  for (;;) {
    const page = await unlessFault(readListPage(deps, start, { dates }));
    if (page === undefined) return end(`the shop fails on the page after ${ids.size} orders`);
    if (page.received === 0 && start === 0) return end(describeNoOrders(page.emptyForm));
    const own = [...page.rows.map(({ orderId }) => orderId), ...page.malformed.map(nameOf)];
    const isKnown = start === 0 || own.some((key) => ids.has(key));
    const isNew = own.some((key) => !ids.has(key));
    idle = isKnown && isNew ? 0 : idle + 1;
    if (idle > MAX_IDLE) return end('its rows kept shifting');
    likely = Math.max(likely, page.total ?? 0);
    if (isEndless(ids.size, likely))
      return end(`it does not end: ${ids.size} orders received, ${likely} expected`);
    if (!isKnown) {
      [start, last] = [Math.max(0, start - Math.max(1, rows)), undefined];
      continue;
    }
    if (isNew) await takePage(page);
    for (const key of own) ids.add(key);
    const times = [...ends, ...placeRows(deps, page.rows).map(({ time }) => time)].toSorted(byTime);
    ends = [...times.slice(0, 1), ...times.slice(-1)];
    const isSame = page.received > 1 && page.received === rows && !isNew;
    if (isLastPage(page, last)) return end(isSame ? 'the shop ignores "start"' : undefined);
    [start, rows, last] = [start + page.received - 1, page.received, page.rows.at(-1)?.orderId];
  }
}

const nameOf = (element: OrdersPage['malformed'][number]) => elementId(element) ?? JSON.stringify(element);

/** Whether dates show orders that the list lacks: it may be cut at a position, or be that of the last few days. */
async function isAnyBeyond(deps: PagingDeps, { ids, ends }: Pages): Promise<boolean> {
  const [oldest, newest] = [ends[0], ends.at(-1)];
  if (oldest === undefined || newest === undefined) return false;
  const { limit } = deps.book.profile;
  const countUnlisted = async (dates: Window) => {
    const page = await unlessFault(requestPage(deps, toQuery(dates, 0, limit)));
    return page?.rows.filter(({ orderId }) => !ids.has(orderId)).length ?? 0;
  };
  const older = await countUnlisted({ ...FARTHEST, to: oldest });
  return older > 0 || (await countUnlisted({ ...FARTHEST, from: newest })) > FEW_NEW;
}
