/** The PostgreSQL server of a data folder: found running or started, and stopped. */
import type { ChildProcess } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

import { TerminalError } from '../../errors.ts';
import { run } from './child-process.ts';
import { type DataFolder, type Installation, prepareDataFolder } from './data-folder.ts';
import { prepareDatabase } from './database.ts';
import { explainFailure } from './failure.ts';
import { freePort } from './free-port.ts';
import { logFileOf } from './home.ts';
import { launch } from './launch.ts';
import { findPostmaster, isAlive, lastPort } from './postmaster.ts';

export type Server = {
  readonly url: string;
  /** Settles when the server is gone, wanted or not. */
  readonly gone: Promise<void>;
  stop(): Promise<void>;
};

/** Passing: somebody took the port a moment ago; the last processes of a killed server are still ending. */
const PASSING = /Address already in use|pre-existing shared memory block/;
const START_ATTEMPTS = 20;
const POLL_MS = 50;
/** Recovery after a crash takes a while. */
const ANSWER_WITHIN_MS = 600_000;
const STOP_WITHIN_S = '60';

/**
 * A server on the installation's data folder, which is created first where there is none. One that runs already, since
 * its keeper was killed, is taken over with its users.
 *
 * @throws TerminalError when it cannot be started
 */
export async function startServer(installation: Installation): Promise<Server> {
  const data = await prepareDataFolder(installation);
  return (await takeOver(installation, data)) ?? (await startNew(installation, data));
}

async function takeOver(installation: Installation, data: DataFolder): Promise<Server | undefined> {
  const deadline = Date.now() + ANSWER_WITHIN_MS;
  for (;;) {
    const running = await findPostmaster(data.path);
    if (running === undefined) return undefined;
    const url = await prepareDatabase(running.port, data.password);
    if (url !== undefined) {
      return { url, gone: ended(running.pid), stop: () => stopFound(installation, data) };
    }
    if (Date.now() > deadline) {
      throw new TerminalError(
        `A PostgreSQL server (process ${running.pid}) runs on ${data.path} but does not answer: stop that process.`,
      );
    }
    await sleep(POLL_MS);
  }
}

async function startNew(installation: Installation, data: DataFolder): Promise<Server> {
  const log = logFileOf(installation.home);
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort(await lastPort(data.path));
    const logged = (await stat(log).catch(() => undefined))?.size ?? 0;
    const child = await launch(installation, data, port);
    const gone = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
    const stop = () => stopChild(installation, data, child);
    const url = await firstAnswer(child, () => prepareDatabase(port, data.password)).catch(async (error) => {
      await stop();
      throw error;
    });
    if (url !== undefined) return { url, gone, stop };
    const output = (await readFile(log)).subarray(logged).toString('utf8');
    if (attempt === START_ATTEMPTS || !PASSING.test(output)) {
      throw new TerminalError(explainFailure('start', output, log));
    }
    await sleep(10 * POLL_MS);
  }
}

/** Asks until there is an answer; undefined when the server ended instead, or is ended for giving none. */
async function firstAnswer(
  child: ChildProcess,
  ask: () => Promise<string | undefined>,
): Promise<string | undefined> {
  const deadline = Date.now() + ANSWER_WITHIN_MS;
  while (child.exitCode === null && child.signalCode === null) {
    if (Date.now() > deadline) child.kill('SIGQUIT');
    const answer = await ask();
    if (answer !== undefined) return answer;
    await sleep(POLL_MS);
  }
  return undefined;
}

/** Fast: sessions are ended and everything is written; immediate (recovered at the next start) if that does not end. */
async function stopFound({ binaries, account }: Installation, data: DataFolder): Promise<void> {
  for (const mode of ['fast', 'immediate']) {
    if ((await findPostmaster(data.path)) === undefined) return;
    await run(binaries.pgCtl, ['stop', '-D', data.path, '-m', mode, '-w', '-t', STOP_WITHIN_S], { account });
  }
}

async function stopChild(installation: Installation, data: DataFolder, child: ChildProcess): Promise<void> {
  await stopFound(installation, data);
  // Where somebody deleted the folder under it, the server cannot be found there.
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGQUIT');
}

async function ended(pid: number): Promise<void> {
  while (isAlive(pid)) await sleep(10 * POLL_MS, undefined, { ref: false });
}
