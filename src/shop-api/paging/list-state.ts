/** What the pages of one list show so far. Pure: each response makes the next state. */
import type { OrdersPage } from '../endpoints/list-orders.ts';
import { PageFault } from './request-page.ts';
import { learnPages, learnTotal, learnUneven, type PageProfile } from './page-profile.ts';

/** What is said of a shop of which nothing but empty answers came. */
const NO_ORDERS = 'the shop lists no orders at all';

/** The same, and how the shop puts it where that is not an empty list. */
export function describeNoOrders({ emptyForm }: { readonly emptyForm?: string | undefined } = {}): string {
  return emptyForm === undefined ? NO_ORDERS : `${NO_ORDERS}, and answers with ${emptyForm}`;
}

/**
 * Each page is asked from the last row of the page before it. Pages that have exactly this row in common show that
 * nothing shifted; a page of this row alone shows that nothing follows.
 */
export type Verdict =
  | 'reading'
  /** All rows came, each once: nothing follows, and nothing moved meanwhile. */
  | 'complete'
  /** None or one: there is no row before the last, and so no page to overlap with. */
  | 'few'
  /** More pages than were wanted. */
  | 'cut'
  /** The first page came again, which may be all or not. */
  | 'start ignored'
  /** Rows shifted, or the responses contradict each other. */
  | 'shifted'
  /** So they did, since an order was listed twice, which takes the place of another. */
  | 'twice'
  /** One request fails while others are answered. */
  | 'faulty'
  /** The reader wanted no more. */
  | 'stopped';

export type ListState = {
  readonly verdict: Verdict;
  /** Position to ask next: that of the last row, or the one after it, as long as that is to be empty. */
  readonly start: number;
  /** The page that was accepted last. */
  readonly last: OrdersPage | undefined;
  /** Rows of each accepted page, and the totals that came along. */
  readonly received: readonly number[];
  readonly totals: readonly (number | undefined)[];
  /** Responses in a row that were empty. */
  readonly empty: number;
  /** Pages that brought nothing new, or had no row in common with what came before. */
  readonly idle: number;
  /** Responses beyond the last row that are still to be empty; undefined before it came alone. */
  readonly probes: number | undefined;
  readonly fault?: PageFault;
  /** Why the rows shifted. */
  readonly contradiction?: string;
};

export type ListRules = {
  readonly profile: PageProfile;
  /** What was listed on the pages before. */
  readonly known: ReadonlySet<string>;
  readonly maxPages: number;
  /** One row, too, is confirmed to be all. */
  readonly mayBeSingle?: boolean;
  /** A long list may move while it is read: where pages have no row in common, it is read again from one page before. */
  readonly mayMove?: boolean;
};

export const NOTHING_READ: ListState = {
  verdict: 'reading',
  start: 0,
  last: undefined,
  received: [],
  totals: [],
  empty: 0,
  idle: 0,
  probes: undefined,
};

/** How often an empty page is requested again that must hold a row. */
const EMPTY_RETRIES = 2;
/** Responses without anything new that show that a list never stops moving. */
const MAX_IDLE = 50;
/** Empty pages beyond the end that are needed where pages come short at random, or where the total says more. */
const UNEVEN_PROBES = 3;
const CONTRADICTED_PROBES = 2;
const FEW_PAGES = 10;
/** Orders that may disappear while one list is read. */
const FEW_GONE = 10;
/** After a page with fewer rows than this, the next ones cost little. */
const LONG_PAGE = 50;

/** @param page the response to a request from `list.start` */
export function afterPage(list: ListState, page: OrdersPage | PageFault, rules: ListRules): ListState {
  if (list.probes !== undefined) return afterProbe(list, page, rules);
  if (page instanceof PageFault) return { ...list, verdict: 'faulty', fault: page };
  const mustHoldRow = list.start > 0 || rules.mayMove === true;
  if (page.received === 0 && mustHoldRow && list.empty < EMPTY_RETRIES) {
    return { ...list, empty: list.empty + 1 };
  }
  if (list.last === undefined) return afterFirst(list, page, rules);
  const shared = page.keys.filter((key) => rules.known.has(key));
  if (isFirstAgain(list, page)) return { ...list, verdict: 'start ignored' };
  const isJoined = rules.mayMove === true ? shared.length > 0 : isNext(list, list.last, page, shared);
  if (!isJoined) {
    return rules.mayMove === true ? stepBack(list, page.received) : shifted(list, page, shared.length);
  }
  if (page.received === 1) return afterLastRow(list, page, rules);
  const idle = shared.length === page.keys.length ? list.idle + 1 : list.idle;
  const next = { ...accept(list, page), idle };
  if (idle > MAX_IDLE) return contradicted(next, `${idle} answers in a row hold no order that is new`);
  return next.received.length < rules.maxPages ? next : { ...next, verdict: 'cut' };
}

function afterFirst(list: ListState, page: OrdersPage, rules: ListRules): ListState {
  const next = accept(list, page);
  if (rules.mayMove !== true && hasDuplicates(page)) return { ...next, verdict: 'twice' };
  if (page.received === 0 || (page.received === 1 && rules.mayBeSingle !== true)) {
    return { ...next, verdict: 'few' };
  }
  if (page.received === 1) return { ...next, start: 1, probes: UNEVEN_PROBES };
  return isLongList(page, rules) ? { ...next, verdict: 'cut' } : next;
}

function accept(list: ListState, page: OrdersPage): ListState {
  return {
    ...list,
    start: list.start + Math.max(0, page.received - 1),
    last: page,
    received: [...list.received, page.received],
    totals: [...list.totals, page.total],
    empty: 0,
  };
}

/** Whether a request from further on was answered by the first page. */
function isFirstAgain({ start, received, last }: ListState, { keys }: OrdersPage): boolean {
  // Of a list that is gone on with, other rows may be known as well.
  const first = new Set(last?.keys);
  const isAlike = keys.length === received[0] && keys.every((key) => first.has(key));
  return start > 0 && received.length === 1 && isAlike;
}

/**
 * Whether a page continues where the one before it ended. Of a page keyed by identifier any row may be the last, since an
 * object does not keep the order of the list. Of a list of one page any row alone shows that nothing follows: it may come in
 * another order each time.
 */
function isNext(list: ListState, last: OrdersPage, page: OrdersPage, shared: readonly string[]): boolean {
  if (shared.length !== 1 || hasDuplicates(page)) return false;
  if (list.received.length === 1 && page.received === 1) return true;
  const [only] = shared;
  if (last.isKeyed || page.isKeyed) return last.keys.some((key) => key === only);
  return last.keys.at(-1) === only && page.keys[0] === only;
}

/** An order that is listed twice takes the place of another one. */
function hasDuplicates({ rows }: OrdersPage): boolean {
  return new Set(rows.map(({ orderId }) => orderId)).size < rows.length;
}

/** A page that is more than the last row and one that was inserted shows that the list is long. */
function shifted(list: ListState, page: OrdersPage, shared: number): ListState {
  if (hasDuplicates(page)) return { ...accept(list, page), verdict: 'twice' };
  const both = `the answers to start=${startOfLast(list)} and start=${list.start}`;
  const isSame = list.last?.keys.join() === page.keys.join();
  const what = isSame ? 'are the same' : `have ${shared} orders in common, not their last and first one`;
  return contradicted(page.received > 2 ? accept(list, page) : list, `${both} ${what}`);
}

function contradicted(list: ListState, contradiction: string): ListState {
  return { ...list, verdict: 'shifted', contradiction };
}

/** The position of the page that was accepted last. */
const startOfLast = ({ start, last }: ListState) => start - Math.max(0, (last?.received ?? 0) - 1);

function stepBack(list: ListState, rows: number): ListState {
  const start = Math.max(0, list.start - Math.max(1, rows));
  const idle = list.idle + 1;
  return { ...list, start, idle, empty: 0, verdict: idle > MAX_IDLE ? 'shifted' : 'reading' };
}

/** The last row came alone: nothing follows, unless that was chance, as where pages come short at random. */
function afterLastRow(list: ListState, page: OrdersPage, rules: ListRules): ListState {
  const read = list.start + 1;
  if (rules.mayMove !== true && isRecounted(list, page, read)) {
    return contradicted(list, `total fell from ${list.totals[0]} to ${page.total} while they came`);
  }
  const totals = [...list.totals, page.total];
  const probes = countProbes(learnPages(rules.profile, list.received, true), totals, read);
  return { ...list, totals, start: read, probes, verdict: probes === 0 ? 'complete' : 'reading' };
}

function afterProbe(list: ListState, page: OrdersPage | PageFault, rules: ListRules): ListState {
  // Some shops fail beyond the end. A row that they fail at would have come with the last one, unless pages come short. That
  // a whole list ends where the shop fails, the total has to say, since nothing else does.
  const isUncounted = rules.mayMove === true && list.totals[0] !== list.start;
  const mayHideRow = isUncounted || learnPages(rules.profile, list.received, true).isUneven;
  const isFault = page instanceof PageFault;
  if (isFault ? !mayHideRow : page.received === 0) {
    const probes = (list.probes ?? 0) - 1;
    return { ...list, probes, verdict: probes === 0 ? 'complete' : 'reading' };
  }
  if (rules.mayMove !== true) {
    return contradicted(
      list,
      `start=${list.start} was answered with orders, though the one before it seemed to be the last`,
    );
  }
  return isFault ? { ...list, verdict: 'faulty', fault: page } : stepBack({ ...list, probes: undefined }, 1);
}

/** How often to ask beyond the end. A total that agrees speaks against chance, unless it is that of the page. */
function countProbes(
  { isUneven, totalMeaning }: PageProfile,
  totals: ListState['totals'],
  read: number,
): number {
  if (isUneven) return UNEVEN_PROBES;
  const first = totalMeaning === 'other' ? undefined : totals[0];
  if ((first ?? 0) > read) return CONTRADICTED_PROBES;
  return first === read && totals.at(-1) === read ? 0 : 1;
}

/**
 * Whether an order disappeared meanwhile, by the shop's own count: if another moved from an unread page to one that was
 * read, nothing shifted, and that other one was missed. A total that falls by many counts something else, and one of the rows
 * of each page shows nothing by that. A single page is of one moment.
 */
function isRecounted({ received, totals }: ListState, last: OrdersPage, read: number): boolean {
  const gone = (totals[0] ?? 0) - (last.total ?? Infinity);
  const isOfPage = totals[0] === received[0] && last.total === last.received;
  const isOfAll = received.length > 1 && gone <= FEW_GONE;
  return gone > 0 && !isOfPage && (isOfAll || last.total === read);
}

/**
 * A total that is far more than so many pages hold saves reading them in vain. Where it is wrong, it only costs a split:
 * it is used only where few pages may be read, as for a long window, which would be split anyway.
 */
function isLongList({ received, total }: OrdersPage, { profile, maxPages }: ListRules): boolean {
  if (received < Math.max(profile.pageRows, LONG_PAGE)) return false;
  // The last of so many pages is one too many, and each begins with the last row of the page before it.
  const most = 1 + (received - 1) * (maxPages - 1);
  return profile.totalMeaning !== 'other' && maxPages <= FEW_PAGES && (total ?? 0) > most;
}

/** What a list that was read shows of the shop's pages and totals. */
export function learnList(profile: PageProfile, list: ListState): PageProfile {
  const isEnded = list.probes !== undefined;
  // Pages that others went on from were not the last: where they differ, pages come short. Of a list that moved, the last
  // two may be those that did not go on from one another.
  const isUneven = list.verdict === 'shifted' && new Set(list.received.slice(0, -2)).size > 1;
  if (!isEnded && isUneven) return learnUneven(profile);
  if (!isEnded && list.verdict !== 'cut') return profile;
  const learned = learnPages(profile, list.received, isEnded);
  if (list.verdict === 'complete') return learnTotal(learned, list.start, list.totals[0]);
  // The page of one row was a short one, not the end.
  return list.verdict === 'shifted' ? learnUneven(learned) : learned;
}
