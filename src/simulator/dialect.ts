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
  /** The content of an order that does not exist: 404 with a message, or 200 with `success` 0. */
  readonly unknownOrder: '404' | 'success-0';
  /** Errors are `{"message": ...}` with a fitting status, or with 200. */
  readonly errors: 'status' | '200';
  /** A wrong key: 401, or 200 with the HTML of a login page. */
  readonly wrongKey: '401' | 'html-200';
  /** Order of the list, always stable: by placing time descending or ascending, by id descending, or in none. */
  readonly listOrder: 'desc' | 'asc' | 'id-desc' | 'shuffled';
  /** Whether later orders have higher ids. */
  readonly ids: 'by-date' | 'shuffled';
  /** What `total` counts, and whether it is a number or a string. */
  readonly total: 'matches' | 'all' | 'matches-string' | 'all-string' | 'absent';
  /** Whether an order placed exactly at `date_to` matches. */
  readonly dateTo: 'inclusive' | 'exclusive';
  /** Whether the date filters compare seconds, or minutes with the seconds of both sides dropped. */
  readonly datePrecision: 'second' | 'minute';
  /** Which time the date filters compare, if any. */
  readonly dateFilter: 'created' | 'updated' | 'ignored';
  /** Whether the shop uses status codes of its own besides the documented ones. */
  readonly statuses: 'documented' | 'custom';
  /** Compresses answers for clients that accept it. */
  readonly gzip: boolean;
  /** A byte order mark before the JSON. */
  readonly bom: boolean;
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
  errors: 'status',
  wrongKey: '401',
  listOrder: 'desc',
  ids: 'by-date',
  total: 'matches',
  dateTo: 'inclusive',
  datePrecision: 'second',
  dateFilter: 'created',
  statuses: 'documented',
  gzip: false,
  bom: false,
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
  errors: '200',
  wrongKey: 'html-200',
  listOrder: 'shuffled',
  ids: 'shuffled',
  total: 'all-string',
  dateTo: 'exclusive',
  datePrecision: 'minute',
  dateFilter: 'created',
  statuses: 'custom',
  gzip: true,
  bom: true,
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
  unknownOrder: ['404', 'success-0'],
  errors: ['status', '200'],
  wrongKey: ['401', 'html-200'],
  listOrder: ['desc', 'asc', 'id-desc', 'shuffled'],
  ids: ['by-date', 'shuffled'],
  total: ['matches', 'all', 'matches-string', 'all-string', 'absent'],
  dateTo: ['inclusive', 'exclusive'],
  datePrecision: ['second', 'minute'],
  dateFilter: ['created', 'updated', 'ignored'],
  statuses: ['documented', 'custom'],
  gzip: ['true', 'false'],
  bom: ['true', 'false'],
  start: ['honoured', 'ignored'],
  fields: ['php', 'php-characters', 'json', 'decoded'],
  fieldValues: ['described', 'plain'],
  userKeys: ['unique', 'shared'],
};
