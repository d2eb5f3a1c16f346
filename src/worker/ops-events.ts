import { once } from 'node:events';

import type { Handler } from 'hono';
import { streamSSE } from 'hono/streaming';

import type { LiveFeed } from './live-feed.ts';

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
      await stream.writeSSE({ event: 'open', data: '{"version":1}' });
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
