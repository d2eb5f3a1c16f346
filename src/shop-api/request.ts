import type { z } from 'zod';

import type { JsonObject } from '../json.ts';

/** The kinds of request, as they are counted and named in messages. */
export type Route = 'orders' | 'content' | 'user' | 'groups' | 'auth';

/** One documented request: what to ask, and the shape that its answer must have. */
export type ApiRequest<Answer> = {
  readonly route: Route;
  readonly method: 'GET' | 'POST';
  /** Below `/adm/api/`, already percent-encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: JsonObject;
  readonly schema: z.ZodType<Answer>;
  readonly signal?: AbortSignal | undefined;
};
