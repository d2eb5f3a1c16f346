/** What came of reading a window. */
import type { JsonValue } from '../../model/json.ts';
import type { Window } from '../../model/window.ts';
import type { ListRow } from '../endpoints/list-orders.ts';

/** Every order of a window, each once. */
export type WholeWindow = {
  readonly kind: 'whole';
  /** What is proven: the window that was asked for, and empty days below it. */
  readonly window: Window;
  /** Orders of the window, and those without a readable date that were listed with them. */
  readonly rows: readonly ListRow[];
  /** Orders of the window that some page of this run showed, and this list does not. @default none */
  readonly omitted?: readonly ListRow[];
  /** Elements without a usable identifier, or with one that another element has too. */
  readonly malformed: readonly JsonValue[];
  /** Nothing is older than what this window holds. */
  readonly isOldest: boolean;
  /** The instant before the first request: what the reading describes. */
  readonly requestedAt: Temporal.Instant;
};

/** A window that must be split. */
export type SplitWindow = {
  readonly kind: 'split';
  /** `long`: too long to be read or believed; `fault`: the shop fails at one of its pages; `odd`: see `why`. */
  readonly cause: 'long' | 'fault' | 'odd';
  readonly why: string;
  /** When the orders received were created, oldest first. */
  readonly created: readonly Temporal.PlainDateTime[];
};

export type UnprovenWindow = {
  readonly kind: 'unproven';
  /** What cannot be proven. */
  readonly window: Window;
  readonly reason: string;
  /** What the widest list contained, if none of it can be used. */
  readonly listed?: 'nothing' | 'unreadable';
};

export type WindowReading = WholeWindow | SplitWindow | UnprovenWindow;
/** What is left when windows are split until they can be read, or not. */
export type FinalReading = Exclude<WindowReading, SplitWindow>;
