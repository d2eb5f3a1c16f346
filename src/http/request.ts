import type { JsonObject } from '../json.ts';
import type { Exchange } from './transport.ts';
import type { ReadShape } from '../shop-api/wire-schemas.ts';

/** The kinds of request, as they are counted and named in messages. */
export type Route = 'orders' | 'content' | 'user' | 'groups' | 'auth';

/**
 * One documented request: what to ask, and the shape that its answer must have. Only `/auth` is ever posted to: a shop
 * that is read is not changed, and the type leaves no other way.
 */
export type ApiRequest<Answer> = {
  /** Below `/adm/api/`, already percent-encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly signal?: AbortSignal | undefined;
  /** Tries in all, where fewer than usual are enough. @default as many as for any request */
  readonly maxTries?: number | undefined;
} & Reading<Answer> &
  (
    | { readonly route: Exclude<Route, 'auth'>; readonly method: 'GET'; readonly body?: never }
    | { readonly route: 'auth'; readonly method: 'POST'; readonly body: JsonObject }
  );

/** How the answer is read: by the shape that data must have, or as whatever it is. */
type Reading<Answer> =
  | { readonly readShape: ReadShape<Answer>; readonly read?: never }
  | {
      readonly readShape?: never;
      /** @throws TransientError where another try is needed */
      readonly read: (exchange: Exchange, now: Temporal.Instant) => ReadAnswer<Answer>;
    };

export type ReadAnswer<Answer> = {
  readonly value: Answer;
  /** What the answer tells of the shop as a whole: that it is well, nothing, or that it may refuse everything. */
  readonly shop: 'well' | 'untold' | 'refusing';
};
