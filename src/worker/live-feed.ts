import { setTimeout as sleep } from 'node:timers/promises';
import { once } from 'node:events';
import type { Handler } from 'hono';
import { streamSSE } from 'hono/streaming';

import type { ShopStatusJson } from '../sync/report/shop-report.ts';

/** What watching pages are told. */
type LiveEvent =
  | { readonly name: 'changed'; readonly shops: readonly string[] }
  /** The state of the shops could not be read; it is over with the next `changed`. */
  | { readonly name: 'trouble'; readonly text: string };

export type LiveFeed = AsyncDisposable & {
  /** @returns undefined if too many watch already, or nobody may any more */
  readonly subscribe: (send: (event: LiveEvent) => void) => Subscription | undefined;
};

type Subscription = Disposable & {
  /** Aborted when the feed ends. */
  readonly ended: AbortSignal;
};

export type LiveFeedOptions = {
  readonly read: () => Promise<readonly ShopStatusJson[]>;
  /** Why a reading failed: a sentence for people. */
  readonly describeFailure: (error: unknown) => string;
  /** Between two readings at least. */
  readonly everyMs: number;
};

const MAX_WATCHERS = 100;
/** However many shops there are, reading them takes a twentieth of the time at most. */
const PAUSE_FACTOR = 20;

/** Reads the state of all shops again and again while somebody watches, once for all of them, and says what changed. */
export function openLiveFeed({ read, describeFailure, everyMs }: LiveFeedOptions): LiveFeed {
  const watchers = new Set<(event: LiveEvent) => void>();
  const end = new AbortController();
  let known: ReadonlyMap<string, string> | undefined;
  let polling: Promise<void> | undefined;
  const tell = (event: LiveEvent) => {
    for (const send of watchers) send(event);
  };
  let trouble: string | undefined;
  const poll = async () => {
    try {
      const shops = new Map((await read()).map((shop) => [shop.shop, JSON.stringify(shop)]));
      const changed = known === undefined ? [] : findChanges(known, shops);
      if (changed.length > 0 || trouble !== undefined) tell({ name: 'changed', shops: changed });
      [known, trouble] = [shops, undefined];
    } catch (error) {
      const text = describeFailure(error);
      if (text !== trouble) tell({ name: 'trouble', text });
      trouble = text;
    }
  };
  const pollWhileWatched = async () => {
    while (watchers.size > 0 && !end.signal.aborted) {
      const began = performance.now();
      await poll();
      const pauseMs = Math.max(everyMs, PAUSE_FACTOR * (performance.now() - began));
      await sleep(pauseMs, undefined, { signal: end.signal }).catch(() => undefined);
    }
    polling = undefined;
    known = undefined;
  };
  return {
    subscribe(send) {
      if (end.signal.aborted || watchers.size >= MAX_WATCHERS) return undefined;
      const own = (event: LiveEvent) => send(event);
      watchers.add(own);
      if (trouble !== undefined) own({ name: 'trouble', text: trouble });
      polling ??= pollWhileWatched();
      return { ended: end.signal, [Symbol.dispose]: () => watchers.delete(own) };
    },
    async [Symbol.asyncDispose]() {
      end.abort();
      await polling;
    },
  };
}

/** Shops that are new, gone, or not as they were. */
function findChanges(
  before: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
): readonly string[] {
  const keys = new Set([...before.keys(), ...now.keys()]);
  return [...keys].filter((key) => before.get(key) !== now.get(key));
}

/** Proxies close connections on which nothing is sent for a minute or so. */
const KEEP_ALIVE_MS = 20_000;

/** Server-sent events for pages: `changed` with the keys of shops, and `trouble` with a sentence. */
export function serveEvents(feed: LiveFeed): Handler {
  return (context) => {
    // A proxy that collects what it passes on would hold events back.
    context.header('X-Accel-Buffering', 'no');
    return streamSSE(context, async (stream) => {
      const gone = new AbortController();
      stream.onAbort(() => gone.abort());
      using subscription = feed.subscribe((event) => {
        const data = event.name === 'changed' ? { shops: event.shops } : { text: event.text };
        void stream.writeSSE({ event: event.name, data: JSON.stringify({ version: 1, ...data }) });
      });
      if (subscription === undefined) return;
      // Not `open`, which browsers call the connection's own.
      await stream.writeSSE({ event: 'ready', data: '{"version":1}' });
      const alive = setInterval(() => void stream.write(':\n\n'), KEEP_ALIVE_MS);
      try {
        const over = AbortSignal.any([gone.signal, subscription.ended]);
        if (!over.aborted) await once(over, 'abort');
      } finally {
        clearInterval(alive);
      }
    });
  };
}
