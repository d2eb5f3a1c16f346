/** Many simulated shops in one process of their own. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { z } from 'zod';

const SERVE = join(import.meta.dirname, 'serve-shops.ts');

export type ManyShops = AsyncDisposable & {
  readonly urls: readonly string[];
  readonly pid: number;
  /** List requests until now, of all shops. */
  listRequests(): Promise<number>;
};

export async function startShops(
  count: number,
  size: { readonly orders: number; readonly days: number; readonly latencyMs: number },
): Promise<ManyShops> {
  const child = fork(SERVE, [count, size.orders, size.days, size.latencyMs].map(String));
  const urls = z.array(z.string()).parse((await once(child, 'message'))[0]);
  return {
    urls,
    pid: child.pid ?? 0,
    async listRequests() {
      const answer = once(child, 'message');
      child.send('count');
      return z.number().parse((await answer)[0]);
    },
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

/**
 * Places an order, or gives one another status.
 *
 * @throws Error when the shop refuses
 */
export async function changeShop(
  url: string,
  method: 'POST' | 'PATCH',
  path: string,
  body: Readonly<Record<string, string>>,
): Promise<{ orderId: number }> {
  const response = await fetch(`${url}/_sim/${path}`, { method, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${method} ${path}: HTTP ${response.status}`);
  return z.object({ orderId: z.number() }).parse(await response.json());
}
