/** How the API behaves where its documentation leaves it open. */

/** Every switch with its values; the first is the documentation read literally. */
export const DIALECT_VALUES = {
  /** The list of orders: an array, or an object keyed by order id. */
  orders: ['array', 'object'],
  /** A page without orders: `{"orders": [], "total": ...}`, or a bare `[]`. */
  emptyAnswer: ['orders-total', 'array'],
  /** Numeric fields as JSON numbers, or all of them as strings. */
  numbers: ['number', 'string'],
  /** Text that is only digits as a string, or as a number. */
  digits: ['string', 'number'],
  /** Empty text: `''`, `null`, or the field is left out. */
  empty: ['empty-string', 'null', 'absent'],
  /** Where `ordercontent` stands: at the top, or under `content`. */
  content: ['top', 'nested'],
  /** Lines of a content beyond so many are left out; 0 is no such bound. */
  contentLines: [0, 1, 2, 3],
  /** Whether contents are those of now, or those at the start or at the last dialect change, as far as the order existed. */
  contents: ['fresh', 'cached'],
  /** What `count` counts, if anything. */
  counts: ['units', 'lines', 'none'],
  /** What `summ` adds up, if anything: lines after or before their discount, with or without the delivery. */
  sums: ['total+delivery', 'total', 'list+delivery', 'list', 'none'],
  /**
   * The content of an order that does not exist: 404 or 400 with a message, 200 with `success` 0 (with a message or
   * without), 200 with an empty content and `success` 1, or 200 with a page of HTML.
   */
  unknownOrder: ['404', '400', 'success-0', 'success-0-message', 'empty-content', 'html'],
  /** The same for a user that does not exist; `empty` is a bare `[]`. */
  unknownUser: ['404', '400', 'success-0-message', 'empty', 'html'],
  /** Errors are `{"message": ...}` with a matching status, or with 200. */
  errors: ['status', '200'],
  /** A wrong key: 401, or 200 with the HTML of a login page. */
  wrongKey: ['401', 'html-200'],
  /** Order of the list: by creation time, by id, arbitrary, or another one for each request. */
  listOrder: ['desc', 'asc', 'id-desc', 'shuffled', 'changing'],
  /** Whether later orders have higher ids. */
  ids: ['by-date', 'shuffled'],
  /**
   * What `total` counts: the matches, all orders, the rows of this page, the matches among the orders as they were at
   * the start or at the last dialect change, those within `reach`, at most 100 matches, or nothing real. `-string` sends the
   * number as text.
   */
  total: [
    'matches',
    'all',
    'matches-string',
    'all-string',
    'absent',
    'page',
    'stale',
    'served',
    'capped',
    'random',
  ],
  /** Whether filters but the dates do anything, and whether the dates do beside one of them. */
  filters: ['obeyed', 'ignored', 'instead-of-dates'],
  /** Whether an empty `status` asks for orders without a status, or for all. */
  emptyStatus: ['obeyed', 'ignored'],
  /**
   * What ends a page besides `limit` and the page cap: nothing, its size in bytes, or chance. With `repeats`, a page
   * sometimes holds a row twice, never its last one.
   */
  pages: ['whole', 'bytes', 'random', 'repeats'],
  /** No order is served at this position of a list or beyond it, though `total` counts it; 0 is no such bound. */
  reach: [0, 1000, 100],
  /** Whether an order created exactly at `date_from` matches. */
  dateFrom: ['inclusive', 'exclusive'],
  /** Whether an order created exactly at `date_to` matches. */
  dateTo: ['inclusive', 'exclusive'],
  /** The precision of the date filters; anything smaller is dropped on both sides. */
  datePrecision: ['second', 'minute', 'day'],
  /** Whether one of `date_from` and `date_to` is enough, or does nothing without the other. */
  dateEnds: ['any', 'both'],
  /** One in this many list requests, by chance, is answered with `{"orders":[],"total":0}`; 0 is none. */
  falseEmpties: [0, 100, 10, 3],
  /** List requests answered with 500: none, of more than 20 rows, or of more than 31 days. */
  failing: ['none', 'limit', 'span'],
  /** A page with a row that fails to serialize: 500, or 200 with an empty body. */
  brokenRow: ['500', 'empty-body'],
  /** Which time the date filters compare, if any. */
  dateFilter: ['created', 'updated', 'ignored'],
  /** Whether the shop uses status codes of its own besides the documented ones. */
  statuses: ['documented', 'custom'],
  /** Compresses responses for clients that accept it. */
  gzip: [false, true],
  /** A byte order mark before the JSON. */
  bom: [false, true],
  /** How text is encoded, and whether the header says so. */
  charset: ['utf-8', 'windows-1251', 'windows-1251-unlabelled'],
  /**
   * Positions count from zero, from one, are rounded down to tens, are those of pages, leave a full page or the last row at
   * the end, or are ignored.
   */
  start: ['honoured', 'ignored', 'from-one', 'tens', 'pages', 'full-page', 'last-row'],
  /** What a list without dates, or without `date_from`, is taken for: all orders, or so many last days; 0 is all. */
  undatedDays: [0, 30],
  openDays: [0, 60],
  /** Hours by which the date filters run ahead of the times that orders show. */
  filterHours: [0, 3, -14],
  /** `fields` as PHP `serialize()` text with lengths in bytes or in characters, as JSON text, or decoded. */
  fields: ['php', 'php-characters', 'json', 'decoded'],
  /** The values in `fields`: `{value, name, runame}`, or the value alone. */
  fieldValues: ['described', 'plain'],
} as const;

type Values = typeof DIALECT_VALUES;

/** Any number will do where the values are numbers. */
export type Dialect = {
  readonly [Name in keyof Values]: Values[Name][number] extends number ? number : Values[Name][number];
};

/** The documentation read literally. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- fromEntries loses which name has which value
export const PLAIN = Object.fromEntries(
  Object.entries(DIALECT_VALUES).map(([name, [usual]]) => [name, usual]),
) as Dialect;

/** Everything odd that a reader can cope with, at once. */
export const WEIRD: Dialect = {
  ...PLAIN,
  orders: 'object',
  emptyAnswer: 'array',
  numbers: 'string',
  digits: 'number',
  empty: 'null',
  content: 'nested',
  unknownOrder: 'success-0',
  unknownUser: 'success-0-message',
  errors: '200',
  wrongKey: 'html-200',
  listOrder: 'shuffled',
  ids: 'shuffled',
  total: 'all-string',
  dateTo: 'exclusive',
  datePrecision: 'minute',
  statuses: 'custom',
  gzip: true,
  bom: true,
  fields: 'php-characters',
  fieldValues: 'plain',
};

/**
 * Reads a switch from text, such as `bom` and `true`.
 *
 * @throws RangeError that lists the known switches, or the values of this one
 */
export function readSwitch(name: string, text: string): Partial<Dialect> {
  const values = new Map<string, readonly unknown[]>(Object.entries(DIALECT_VALUES)).get(name);
  if (values === undefined) {
    throw new RangeError(`known switches are ${Object.keys(DIALECT_VALUES).join(', ')}`);
  }
  const value = values.find((value) => String(value) === text);
  if (value === undefined) throw new RangeError(`${name} is one of ${values.join(', ')}`);
  return { [name]: value };
}
