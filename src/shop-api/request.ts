import type { z } from 'zod';

import type { JsonObject } from '../json.ts';

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
  readonly schema: z.ZodType<Answer>;
  readonly signal?: AbortSignal | undefined;
} & (
  | { readonly route: Exclude<Route, 'auth'>; readonly method: 'GET'; readonly body?: never }
  | { readonly route: 'auth'; readonly method: 'POST'; readonly body: JsonObject }
);
