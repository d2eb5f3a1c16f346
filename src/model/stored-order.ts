/** What the warehouse holds of an order, as far as plans need it. */
export type StoredOrder = {
  readonly orderId: string;
  readonly fingerprint: string;
  readonly linesState: LinesState;
  readonly linesAttempts: number;
  /** When the lines were last requested, with or without success. */
  readonly linesFetchedAt: Temporal.Instant | undefined;
  /** Its status can still change by the shop's own rules. */
  readonly isOpen: boolean;
  /** Marked as missing or deleted. */
  readonly isMarked: boolean;
  /** Its created time lies in the window that was read. */
  readonly isInWindow: boolean;
};

/**
 * What tells whether an order and its lines fit together (`plan/orders/line-relations.ts`), named as the columns; amounts
 * are decimal text. Null: not sent, or not known.
 */
export type LineFacts = OrderFigures & {
  readonly line_count: number;
  readonly quantity: number | null;
  readonly lines_total: string | null;
  readonly list_total: string | null;
};

/** What a list row says of the whole order. */
export type OrderFigures = {
  readonly item_count: string | null;
  readonly order_sum: string | null;
  readonly delivery_price: string | null;
  readonly discount_raw: string | null;
  readonly discount_percent: string | null;
};

/** `lines` and `units` are what `item_count` may be, the others what `order_sum` may be. */
export const LINE_RELATIONS = [
  'lines',
  'units',
  'total',
  'total+delivery',
  'discounted',
  'discounted+delivery',
  'list',
  'list+delivery',
] as const;
export type LineRelation = (typeof LINE_RELATIONS)[number];

/** `doubtful`: fetched, but they contradict the list row. */
export type LinesState = 'pending' | 'ok' | 'failed' | 'doubtful';
