/** What came of reading a window. */
import type { JsonValue } from '../../model/json.ts';
import type { Window } from '../../model/window.ts';
import type { ListRow } from '../endpoints/list-orders.ts';

/** From a minute to another, both included. */
export type Span = {
  readonly from: Temporal.PlainDateTime | undefined;
  readonly to: Temporal.PlainDateTime | undefined;
};

/** Every order of a window, each once. */
export type WholeWindow = {
  readonly kind: 'whole';
  /** What is proven: the window that was asked for, and empty days below it. */
  readonly window: Window;
  /** Orders of the window, and those without a readable date that were listed with them. */
  readonly rows: readonly ListRow[];
  /** Orders of the window that some page of this run showed, and this list does not. @default none */
  readonly lacking?: readonly ListRow[];
  /** Elements that no identifier tells apart. */
  readonly malformed: readonly JsonValue[];
  /** When elements were placed that say neither that nor which order they are; an end is undefined where nobody knows. */
  readonly unplaced: readonly Span[];
  /** Nothing is older than what this window holds. */
  readonly isOldest: boolean;
  /** The instant before the first request: what the reading describes. */
  readonly askedAt: Temporal.Instant;
};

/** A window that is to be read in smaller ones. */
export type SplitWindow = {
  readonly kind: 'split';
  /** `long`: more pages than one reading takes; `fault`: the shop fails at one of its pages; `odd`: see `why`. */
  readonly cause: 'long' | 'fault' | 'odd';
  readonly why: string;
  /** Created minutes of the rows received, in the order of the list. */
  readonly sample: readonly Temporal.PlainDateTime[];
  /** Matching orders by the shop's own count. */
  readonly total: number | undefined;
};

export type UnprovenWindow = {
  readonly kind: 'unproven';
  /** What cannot be proven. */
  readonly window: Window;
  readonly reason: string;
  /** What the widest list held, where none of it can be used. */
  readonly listed?: 'nothing' | 'unreadable';
};

export type WindowReading = WholeWindow | SplitWindow | UnprovenWindow;
/** What is left when windows are split until they can be read, or not. */
export type FinalReading = Exclude<WindowReading, SplitWindow>;
