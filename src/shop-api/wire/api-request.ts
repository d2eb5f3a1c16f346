import type { HttpRequest, ReadResponse } from '../../http/request.ts';
import type { JsonObject } from '../../model/json.ts';
import type { ReadShape } from './read-response.ts';

/** The kinds of request, as they are counted. */
export type Route = 'orders' | 'content' | 'user' | 'groups' | 'auth';

/**
 * One documented request. Only `/auth` is ever posted to: reading a shop must not change it, and the type allows nothing
 * else.
 */
export type ApiRequest<Value> = Omit<HttpRequest<Route, Value>, 'read'> &
  Reader<Value> &
  (
    | { readonly route: Exclude<Route, 'auth'>; readonly method: 'GET'; readonly body?: never }
    | { readonly route: 'auth'; readonly method: 'POST'; readonly body: JsonObject }
  );

/** How the response is read: by the shape that data must have, or as whatever it is. */
type Reader<Value> =
  | {
      readonly readShape: ReadShape<Value>;
      readonly read?: never;
      readonly isList?: never;
      readonly isWidest?: never;
    }
  | {
      readonly readShape?: never;
      /** @param onBeside called with what stands beside the data, by its kind and length */
      readonly read: (
        ...given: [...Parameters<HttpRequest<Route, Value>['read']>, onBeside?: (beside: string) => void]
      ) => ReadResponse<Value>;
      /** A list, which a status such as 404 may say to have no rows. @default any status is read */
      readonly isList?: true;
      /** It asks for all there is. @default for a part of it */
      readonly isWidest?: boolean;
    };

/** What an endpoint needs to ask the shop. */
export type ApiClient = {
  /** @throws TerminalError, TransientError, UnavailableError, the signal's reason */
  send<Value>(request: ApiRequest<Value>): Promise<Value>;
};
