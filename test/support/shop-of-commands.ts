/** A simulated shop that listens, a warehouse that holds nothing of it yet, and command lines that are set up for both. */
import type { QueryResult } from 'pg';

import { type Simulator, type SimulatorOptions, startSimulator } from '../../src/simulator/server.ts';
import { withClient } from './database-clients.ts';
import { freshDatabase } from './database.ts';
import { forFile } from './for-file.ts';
import { type InProcess, runInProcess } from './run-in-process.ts';
import { settingsFor } from './command-line.ts';

export type ShopOfCommands = AsyncDisposable & {
  readonly simulator: Simulator;
  readonly env: Readonly<Record<string, string>>;
  /** @param line such as `sync --json`; a list where a value has spaces */
  readonly run: (line: string | readonly string[], more?: Env) => Promise<InProcess>;
  /** One statement, as the owner of the warehouse. */
  readonly query: (text: string) => Promise<QueryResult>;
};
type Env = Readonly<Record<string, string | undefined>>;

export async function openShop(
  options: SimulatorOptions,
  more: Readonly<Record<string, string>> = {},
): Promise<ShopOfCommands> {
  await using opened = new AsyncDisposableStack();
  const simulator = opened.use(await startSimulator(options));
  const { url } = opened.use(await freshDatabase());
  const env = { ...settingsFor(simulator, url), ...more };
  const held = opened.move();
  return {
    simulator,
    env,
    run: (line, given) =>
      runInProcess(typeof line === 'string' ? line.split(' ') : line, { ...env, ...given }),
    query: (text) => withClient(url, (client) => client.query(text)),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

/** One for all tests of a file, open while they run. */
export const fileShop = (...given: Parameters<typeof openShop>): ShopOfCommands =>
  forFile(() => openShop(...given));
