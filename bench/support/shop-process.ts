/** The simulated shop in a process of its own, so that it takes no time from what is measured. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const MAIN = join(import.meta.dirname, '../../src/main.ts');

export type ShopProcess = AsyncDisposable & {
  /** Settings with which order-sync reads it, as fast as it can. */
  readonly env: Readonly<Record<string, string>>;
  /** Requests until now, by route: `orders` are lists, `order` contents. */
  requests(): Promise<Readonly<Partial<Record<'orders' | 'order' | 'users' | 'groups', number>>>>;
  /**
   * Changes it through `/_sim`.
   *
   * @returns the order as it is now; of a deleted one its identifier is 0
   * @throws Error when the shop refuses
   */
  change(
    method: 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body?: Readonly<Record<string, string>>,
  ): Promise<{ orderId: number }>;
  /** Every order as it is now. */
  truth(): Promise<readonly TrueOrder[]>;
};

type TrueOrder = {
  readonly orderId: number;
  readonly status: string;
  /** With two digits. */
  readonly sum: string;
};

export type ShopSize = {
  readonly orders: number;
  /** Over which the orders are spread, up to now. @default 180 */
  readonly days?: number;
  readonly latencyMs?: number;
};

export async function startShop({ orders, days = 180, latencyMs = 0 }: ShopSize): Promise<ShopProcess> {
  const args = ['--orders', orders, '--days', days, '--latency', latencyMs, '--port', 0].map(String);
  const child = spawn(process.execPath, [MAIN, 'simulate', ...args, '--json'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const lines = createInterface({ input: child.stdout });
  const first = await lines[Symbol.asyncIterator]().next();
  const settings = JSON.parse(String(first.value)) as Record<string, string>;
  return {
    env: { ...settings, SHOP_MAX_CONCURRENCY: '16', SHOP_MAX_RPS: '100000' },
    async requests() {
      const response = await fetch(`${settings['SHOP_URL']}/_sim/requests`);
      return (await response.json()) as Awaited<ReturnType<ShopProcess['requests']>>;
    },
    async change(method, path, body = {}) {
      const request = { method, body: JSON.stringify(body) };
      const response = await fetch(`${settings['SHOP_URL']}/_sim/${path}`, request);
      if (!response.ok) throw new Error(`${method} ${path}: HTTP ${response.status}`);
      return method === 'DELETE' ? { orderId: 0 } : ((await response.json()) as { orderId: number });
    },
    async truth() {
      const text = await (await fetch(`${settings['SHOP_URL']}/_sim/truth`)).text();
      return text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as TrueOrder);
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve));
    },
  };
}
