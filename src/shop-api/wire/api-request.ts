import type { HttpRequest, ReadResponse } from '../../http/request.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Answer } from './read-answer.ts';

/** The kinds of request, as they are counted. */
export type Route = 'orders' | 'content' | 'user' | 'groups' | 'auth';

/**
 * One documented request. Only `/auth` is ever posted to: reading a shop must not change it, and the type allows nothing
 * else.
 */
export type ApiRequest<Value> = Omit<HttpRequest<Route, Value>, 'read'> & {
  /** @throws TransientError where another attempt is needed; ShapeError where the data is of another shape */
  readonly read: (answer: Answer) => ReadResponse<Value>;
  /** What is read beside a success: a status by which a list may say that it has no rows, or any. @default nothing */
  readonly alsoReads?: 'no rows' | 'anything';
  /** It asks for all there is. @default for a part of it */
  readonly isWidest?: boolean;
} & (
    | { readonly route: Exclude<Route, 'auth'>; readonly method: 'GET'; readonly body?: never }
    | { readonly route: 'auth'; readonly method: 'POST'; readonly body: JsonObject }
  );

/** What an endpoint needs to ask the shop. */
export type ApiClient = {
  /** @throws TerminalError, TransientError, UnavailableError, the signal's reason */
  send<Value>(request: ApiRequest<Value>): Promise<Value>;
};
