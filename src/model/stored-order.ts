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

/** `doubtful`: fetched, but they contradict the list row. */
export type LinesState = 'pending' | 'ok' | 'failed' | 'doubtful';
