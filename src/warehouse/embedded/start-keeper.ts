import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, rename, stat } from 'node:fs/promises';

import { plainEnvironment } from './child-process.ts';
import { logFileOf } from './home.ts';
import { KEEPER_SCRIPT } from '../../paths.ts';
import type { Settings } from './keeper-messages.ts';

const LOG_KEPT_BYTES = 1_000_000;

export type StartedKeeper = {
  readonly child: ChildProcess;
  /** What is in the log since its start. */
  complaint(): Promise<string>;
};

/** Detached, so that neither Ctrl-C in the terminal nor the end of this process reaches it. */
export async function startKeeper(home: string, settings: Settings): Promise<StartedKeeper> {
  const path = logFileOf(home);
  if ((await sizeOf(path)) > LOG_KEPT_BYTES) await rename(path, `${path}.1`).catch(() => undefined);
  const logged = await sizeOf(path);
  await using log = await open(path, 'a', 0o600);
  const child = spawn(process.execPath, [KEEPER_SCRIPT, home, JSON.stringify(settings)], {
    cwd: home,
    detached: true,
    env: plainEnvironment(),
    stdio: ['ignore', log.fd, log.fd],
    windowsHide: true,
  });
  await once(child, 'spawn');
  child.unref();
  return { child, complaint: async () => (await readFile(path)).subarray(logged).toString('utf8') };
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}
