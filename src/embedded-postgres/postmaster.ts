/** What a data folder says of the server that runs, or ran, on it. */
import { readFile, rm } from 'node:fs/promises';
import { platform } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { run } from './child-process.ts';

const POLL_MS = 10;
const STOP_WITHIN_MS = 60_000;

/**
 * The live server of a data folder. It is ready once it lets clients in; before, somebody else may have its port. Removes
 * a pid file whose pid another program has by now: a server sees through every other leftover, but not through that one.
 */
export async function findPostmaster(dataFolder: string) {
  const file = join(dataFolder, 'postmaster.pid');
  // The second line is the folder as the server's command line has it.
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n');
  const [pid, folder, , port, , , , status] = lines;
  if (folder === undefined) return undefined;
  const isAlive = (await commandLine(Number(pid))).includes(folder);
  if (isAlive) return { pid: Number(pid), port: Number(port), isReady: status?.trim() === 'ready' };
  await rm(file, { force: true });
  return undefined;
}

/** Fast: sessions are ended and everything is written; immediate (recovered at the next start) if that does not end. */
export async function stopPostmaster(dataFolder: string): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT']) {
    const postmaster = await findPostmaster(dataFolder);
    // Not by pg_ctl, which could send it when we are dead and the next client has just come.
    if (postmaster !== undefined) process.kill(postmaster.pid, signal);
    for (const deadline = Date.now() + STOP_WITHIN_MS; Date.now() < deadline; await sleep(POLL_MS)) {
      if ((await findPostmaster(dataFolder)) === undefined) return;
    }
  }
}

/** Names the data folder when the process is its server; empty when there is no such process, or only its zombie. */
async function commandLine(pid: number): Promise<string> {
  if (platform() === 'linux') return await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return (await run('ps', ['-o', 'command=', '-ww', '-p', `${pid}`])).output;
}
