/** How the API speaks where its documentation leaves it open. */

export type Dialect = {
  /** The list of orders: an array, or an object keyed by order id. */
  readonly orders: 'array' | 'object';
  /** A page without orders: `{"orders": [], "total": ...}`, or a bare `[]`. */
  readonly emptyAnswer: 'orders-total' | 'array';
  /** Numeric fields as JSON numbers, or all of them as strings. */
  readonly numbers: 'number' | 'string';
  /** Text that is only digits as a string, or as a number. */
  readonly digits: 'string' | 'number';
  /** Empty text: `''`, `null`, or the field is left out. */
  readonly empty: 'empty-string' | 'null' | 'absent';
  /** Where `ordercontent` stands: at the top, or under `content`. */
  readonly content: 'top' | 'nested';
  /** The `content` of a user without data. */
  readonly emptyUserContent: 'object' | 'array';
  /**
   * The content of an order that does not exist: 404 or 400 with a message, 200 with `success` 0, that with a message
   * too, 200 with an empty content and `success` 1, or 200 with a page of HTML.
   */
  readonly unknownOrder: '404' | '400' | 'success-0' | 'success-0-message' | 'empty-content' | 'html';
  /** A user that does not exist, in the same words; `empty` is a bare `[]`. */
  readonly unknownUser: '404' | '400' | 'success-0-message' | 'empty' | 'html';
  /** Errors are `{"message": ...}` with a fitting status, or with 200. */
  readonly errors: 'status' | '200';
  /** A wrong key: 401, or 200 with the HTML of a login page. */
  readonly wrongKey: '401' | 'html-200';
  /** Order of the list, always stable: by placing time descending or ascending, by id descending, or in none. */
  readonly listOrder: 'desc' | 'asc' | 'id-desc' | 'shuffled';
  /** Whether later orders have higher ids. */
  readonly ids: 'by-date' | 'shuffled';
  /**
   * What `total` counts, and whether it is a number or a string: the matches, all orders, the rows of this page, the
   * matches among the orders that there were at the start or when the dialect last changed, or nothing real.
   */
  readonly total:
    | 'matches'
    | 'all'
    | 'matches-string'
    | 'all-string'
    | 'absent'
    | 'page'
    | 'stale'
    | 'random';
  /**
   * What ends a page besides `limit` and the page cap: nothing, its size in bytes, or chance. Or a page holds a row
   * twice now and then, and not its last one.
   */
  readonly pages: 'whole' | 'bytes' | 'random' | 'repeats';
  /** No order is served at this position of a list or beyond it, though `total` counts it; 0 is no such bound. */
  readonly reach: number;
  /** Whether an order placed exactly at `date_from` matches. */
  readonly dateFrom: 'inclusive' | 'exclusive';
  /** Whether an order placed exactly at `date_to` matches. */
  readonly dateTo: 'inclusive' | 'exclusive';
  /** Whether the date filters compare seconds, minutes or days; what is smaller is dropped on both sides. */
  readonly datePrecision: 'second' | 'minute' | 'day';
  /** Whether one of `date_from` and `date_to` is enough, or does nothing without the other. */
  readonly dateEnds: 'any' | 'both';
  /** One in so many list requests is answered with `{"orders":[],"total":0}`, by chance; 0 is none. */
  readonly falseEmpties: number;
  /** List requests that are answered with 500: none, of more than 20 rows, or of more than 31 days, until the last order where there is no end. */
  readonly failing: 'none' | 'limit' | 'span';
  /** A page with a row that cannot be written: 500, or 200 and nothing. */
  readonly brokenRow: '500' | 'empty-body';
  /** Which time the date filters compare, if any. */
  readonly dateFilter: 'created' | 'updated' | 'ignored';
  /** Whether the shop uses status codes of its own besides the documented ones. */
  readonly statuses: 'documented' | 'custom';
  /** Compresses answers for clients that accept it. */
  readonly gzip: boolean;
  /** A byte order mark before the JSON. */
  readonly bom: boolean;
  /** How text is encoded, and whether the header says so. */
  readonly charset: 'utf-8' | 'windows-1251' | 'windows-1251-unlabelled';
  readonly start: 'honoured' | 'ignored';
  /** `fields` as PHP `serialize()` text with lengths in bytes or in characters, as JSON text, or decoded. */
  readonly fields: 'php' | 'php-characters' | 'json' | 'decoded';
  /** The values in `fields`: `{value, name, runame}`, or the value alone. */
  readonly fieldValues: 'described' | 'plain';
  /** Whether `user_unique_key` tells users apart. */
  readonly userKeys: 'unique' | 'shared';
};

/** The documentation read literally. */
export const PLAIN: Dialect = {
  orders: 'array',
  emptyAnswer: 'orders-total',
  numbers: 'number',
  digits: 'string',
  empty: 'empty-string',
  content: 'top',
  emptyUserContent: 'object',
  unknownOrder: '404',
  unknownUser: '404',
  errors: 'status',
  wrongKey: '401',
  listOrder: 'desc',
  ids: 'by-date',
  total: 'matches',
  pages: 'whole',
  reach: 0,
  dateFrom: 'inclusive',
  dateTo: 'inclusive',
  datePrecision: 'second',
  dateEnds: 'any',
  falseEmpties: 0,
  failing: 'none',
  brokenRow: '500',
  dateFilter: 'created',
  statuses: 'documented',
  gzip: false,
  bom: false,
  charset: 'utf-8',
  start: 'honoured',
  fields: 'php',
  fieldValues: 'described',
  userKeys: 'unique',
};

/** Everything odd that a reader can cope with, at once. */
export const WEIRD: Dialect = {
  orders: 'object',
  emptyAnswer: 'array',
  numbers: 'string',
  digits: 'number',
  empty: 'null',
  content: 'nested',
  emptyUserContent: 'array',
  unknownOrder: 'success-0',
  unknownUser: 'success-0-message',
  errors: '200',
  wrongKey: 'html-200',
  listOrder: 'shuffled',
  ids: 'shuffled',
  total: 'all-string',
  pages: 'whole',
  reach: 0,
  dateFrom: 'inclusive',
  dateTo: 'exclusive',
  datePrecision: 'minute',
  dateEnds: 'any',
  falseEmpties: 0,
  failing: 'none',
  brokenRow: '500',
  dateFilter: 'created',
  statuses: 'custom',
  gzip: true,
  bom: true,
  charset: 'utf-8',
  start: 'honoured',
  fields: 'php-characters',
  fieldValues: 'plain',
  userKeys: 'shared',
};

/** What each switch can be set to. */
export const DIALECT_VALUES: Readonly<Record<keyof Dialect, readonly string[]>> = {
  orders: ['array', 'object'],
  emptyAnswer: ['orders-total', 'array'],
  numbers: ['number', 'string'],
  digits: ['string', 'number'],
  empty: ['empty-string', 'null', 'absent'],
  content: ['top', 'nested'],
  emptyUserContent: ['object', 'array'],
  unknownOrder: ['404', '400', 'success-0', 'success-0-message', 'empty-content', 'html'],
  unknownUser: ['404', '400', 'success-0-message', 'empty', 'html'],
  errors: ['status', '200'],
  wrongKey: ['401', 'html-200'],
  listOrder: ['desc', 'asc', 'id-desc', 'shuffled'],
  ids: ['by-date', 'shuffled'],
  total: ['matches', 'all', 'matches-string', 'all-string', 'absent', 'page', 'stale', 'random'],
  pages: ['whole', 'bytes', 'random', 'repeats'],
  reach: ['0', '1000', '100'],
  dateFrom: ['inclusive', 'exclusive'],
  dateTo: ['inclusive', 'exclusive'],
  datePrecision: ['second', 'minute', 'day'],
  dateEnds: ['any', 'both'],
  falseEmpties: ['0', '100', '10', '3'],
  failing: ['none', 'limit', 'span'],
  brokenRow: ['500', 'empty-body'],
  dateFilter: ['created', 'updated', 'ignored'],
  statuses: ['documented', 'custom'],
  gzip: ['true', 'false'],
  bom: ['true', 'false'],
  charset: ['utf-8', 'windows-1251', 'windows-1251-unlabelled'],
  start: ['honoured', 'ignored'],
  fields: ['php', 'php-characters', 'json', 'decoded'],
  fieldValues: ['described', 'plain'],
  userKeys: ['unique', 'shared'],
};

/**
 * Reads a switch from text, such as `bom` and `true`.
 *
 * @throws RangeError that names the switches or the values there are
 */
export function readSwitch(name: string, text: string): Partial<Dialect> {
  const values = new Map<string, readonly string[]>(Object.entries(DIALECT_VALUES)).get(name);
  if (values === undefined) {
    throw new RangeError(`known switches are ${Object.keys(DIALECT_VALUES).join(', ')}`);
  }
  if (!values.includes(text)) throw new RangeError(`${name} is one of ${values.join(', ')}`);
  const usual: unknown = Reflect.get(PLAIN, name);
  if (typeof usual === 'number') return { [name]: Number(text) };
  return { [name]: typeof usual === 'boolean' ? text === 'true' : text };
}
