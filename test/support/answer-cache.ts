/** A cache between shop and client, such as of a CDN that was told to keep what it should not. */
import type { MiddlewareHandler } from 'hono';

import { findRoute, type RouteName } from '../../src/simulator/api/request-log.ts';

export type CacheSettings = {
  readonly routes: readonly RouteName[];
  /** How an answer shows its age: by the header `Age`, by the time of its `Date` alone, or not at all. */
  readonly shows: 'age' | 'date' | 'nothing';
};

type Kept = { readonly response: Response; readonly atMs: number };

export class AnswerCache {
  #settings: CacheSettings | undefined;
  readonly #kept = new Map<string, Kept>();
  #agedMs = 0;

  /** Keeps each answer from now on, and repeats it. @param settings undefined takes the cache away */
  set(settings: CacheSettings | undefined): void {
    this.#settings = settings;
    this.#kept.clear();
  }

  /** Makes what is kept so much older. */
  age(ms: number): void {
    this.#agedMs += ms;
  }

  /** It pays no heed to what the client wants. */
  handle(): MiddlewareHandler {
    return async (c, next) => {
      const settings = this.#settings;
      if (settings?.routes.includes(findRoute(c.req.path)) !== true) return next();
      const kept = this.#kept.get(keyOf(c.req.url));
      if (kept !== undefined) return repeat(kept, Date.now() + this.#agedMs, settings.shows);
      await next();
      this.#kept.set(keyOf(c.req.url), { response: c.res.clone(), atMs: Date.now() + this.#agedMs });
      return undefined;
    };
  }
}

function repeat({ response, atMs }: Kept, nowMs: number, shows: CacheSettings['shows']): Response {
  const repeated = new Response(response.clone().body, response);
  const ageMs = nowMs - atMs;
  if (shows === 'age') repeated.headers.set('Age', String(Math.floor(ageMs / 1000)));
  if (shows !== 'nothing') repeated.headers.set('Date', new Date(Date.now() - ageMs).toUTCString());
  return repeated;
}

/** A cache that takes dates of one minute for the same. */
const keyOf = (url: string) => url.replaceAll(/(date_(?:from|to)=[^&]*%3A\d\d)%3A\d\d/g, '$1');
