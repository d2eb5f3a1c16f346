/** Reads lists page by page: the only loop that does. What the pages show is decided in `list-state.ts`. */
import { isJsonObject, type JsonValue } from '../../model/json.ts';
import { elementId, type ListRow, type OrdersPage, rowKey } from '../endpoints/list-orders.ts';
import { askPage } from './ask-page.ts';
import { isUndated, type PageFault, type PagingDeps, unlessFault } from './request-page.ts';
import type { Dates } from './asked-dates.ts';
import {
  afterPage,
  learnList,
  type ListRules,
  type ListState,
  NOTHING_READ,
  type Verdict,
} from './list-state.ts';

/**
 * Reads a list to its end, or as far as the rules allow.
 *
 * @param ask sends the request for a position
 * @param rules `known` receives what was listed
 * @param take receives each page that follows the ones before it, and returns whether that is enough
 * @param from where to continue @default the beginning
 * @throws what `ask` throws, but no PageFault
 */
export async function readList(
  ask: (start: number) => Promise<OrdersPage | PageFault>,
  { known = new Set(), ...rules }: Omit<ListRules, 'known'> & { readonly known?: Set<string> },
  take: (page: OrdersPage, list: ListState) => boolean | Promise<boolean>,
  from: ListState = NOTHING_READ,
): Promise<ListState> {
  let list: ListState = { ...from, verdict: 'reading' };
  while (list.verdict === 'reading') {
    const page = await unlessFault(ask(list.start));
    const next = afterPage(list, page, { ...rules, known });
    const isAccepted = next.received.length > list.received.length;
    const isEnough = isAccepted && next.last !== undefined && (await take(next.last, next));
    // An order that comes twice takes the place of another, wherever the reading ends.
    if (isEnough) return next.verdict === 'twice' ? next : { ...next, verdict: 'stopped' };
    for (const key of next.last?.keys ?? []) known.add(key);
    list = next;
  }
  return list;
}

/** The result of reading all orders that match some dates. */
export type Matching = {
  readonly verdict: Verdict;
  readonly pages: number;
  /** It was asked for without any date. */
  readonly isUndated: boolean;
  /** Each once, in the order of the list. */
  readonly rows: readonly ListRow[];
  /** Elements without a usable identifier. */
  readonly malformed: readonly JsonValue[];
  /** For each element that says neither which order it is nor when it was created, the rows beside it. @default none */
  readonly unplaced?: readonly Neighbours[];
  /** As reported with the first page. */
  readonly total: number | undefined;
  /** The instant before the first request: what the rows describe. */
  readonly askedAt: Temporal.Instant;
  /** Why rows shifted. */
  readonly contradiction?: string | undefined;
  /** How the shop said that there are no rows, where the last page has none. */
  readonly emptyForm?: string | undefined;
};

/** The rows before and after an element, in the order of the list; undefined where the list keeps none, or has none. */
export type Neighbours = { readonly before: ListRow | undefined; readonly after: ListRow | undefined };

/** Orders that may come and go while one list is read. */
const FEW_MOVED = 10;

/**
 * Reads all orders that match, with the proof that these are all.
 *
 * @param rules `maxPages` gives up as 'cut' after so many
 * @param isAll whether a page is known to be the last, as 'stopped' @default its last row is asked from
 * @throws TerminalError when the server does not filter by the date of creation
 * @throws PageFault when the shop fails at one of the requests
 */
export async function readMatching(
  deps: PagingDeps,
  dates: Dates,
  rules: Pick<ListRules, 'maxPages' | 'mayBeSingle'>,
  isAll: (page: OrdersPage) => boolean = () => false,
): Promise<Matching> {
  const { book } = deps;
  const asked = { askedAt: deps.now(), isUndated: isUndated(dates, book.profile) };
  const pages: OrdersPage[] = [];
  const list = await readList(
    (start) => askPage(deps, dates, start),
    { ...rules, profile: book.profile },
    (page) => pages.push(page) > 0 && isAll(page),
  );
  const { verdict, fault, totals, contradiction } = list;
  if (fault !== undefined) throw fault;
  book.profile = learnList(book.profile, list);
  // Totals of the same dates that differ by more than a few orders are meaningless.
  const counts = totals.flatMap((total) => total ?? []);
  const isSteady = Math.max(...counts, 0) - Math.min(...counts, Infinity) <= FEW_MOVED;
  const total = isSteady ? totals[0] : undefined;
  const emptyForm = list.last?.emptyForm;
  const pagesTaken = { verdict, pages: pages.length, total, ...asked, contradiction, emptyForm };
  return { ...pagesTaken, ...joinPages(pages), unplaced: findUnplaced(deps, pages) };
}

function findUnplaced({ readCreated }: PagingDeps, pages: readonly OrdersPage[]): readonly Neighbours[] {
  const nameless = pages.flatMap(({ malformed }) =>
    malformed.filter((value) => elementId(value) === undefined && !isDated(readCreated, value)),
  );
  if (nameless.length === 0) return [];
  const keys = pages.flatMap((page) => page.keys);
  const isKeyed = pages.some((page) => page.isKeyed);
  const rows = new Map(
    pages.flatMap((page) =>
      page.rows.flatMap((row) =>
        isKeyed || readCreated(row) === undefined ? [] : [[rowKey(row), row] as const],
      ),
    ),
  );
  const texts = new Set(nameless.map((value) => JSON.stringify(value)));
  return keys.flatMap((key, index) => {
    if (!texts.has(key)) return [];
    const before = keys.slice(0, index).findLast((one) => rows.has(one));
    const after = keys.slice(index + 1).find((one) => rows.has(one));
    return { before: rows.get(before ?? ''), after: rows.get(after ?? '') };
  });
}

const isDated = (readCreated: PagingDeps['readCreated'], raw: JsonValue) =>
  isJsonObject(raw) && readCreated({ orderId: '', raw }) !== undefined;

/** Each order and each element without a usable identifier once. Of orders that share one, none has it. */
function joinPages(pages: readonly OrdersPage[]): Pick<Matching, 'rows' | 'malformed'> {
  const rows = new Map(pages.flatMap((page) => page.rows.map((row) => [rowKey(row), row])));
  const elements = pages.flatMap((page) => page.malformed);
  const ids = Map.groupBy(rows.values(), ({ orderId }) => orderId);
  const named = new Set(elements.flatMap((value) => elementId(value) ?? []));
  const isTwin = ({ orderId }: ListRow) => named.has(orderId) || (ids.get(orderId)?.length ?? 0) > 1;
  const twins = [...rows.values()].filter(isTwin).map(({ raw }) => raw);
  const malformed = new Map([...elements, ...twins].map((value) => [JSON.stringify(value), value]));
  return { rows: [...rows.values()].filter((row) => !isTwin(row)), malformed: [...malformed.values()] };
}
