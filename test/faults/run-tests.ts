import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

export type Ended = 'passed' | 'failed' | 'hung';

type Place = {
  /** The checkout in which to run. */
  readonly folder: string;
  /** A server on which the tests may create databases. */
  readonly databaseUrl: string;
  readonly signal: AbortSignal;
};

/** How long the tests have to stop what they started, once their time is over. */
const STOP_WITHIN_MS = 15_000;

export type TestRun = {
  readonly ended: Ended;
  readonly seconds: number;
  /** The first test that failed. */
  readonly failed: string | undefined;
  readonly output: string;
};

/** Runs test files until the first failure. @param tests path filters */
export async function runTests(
  { folder, databaseUrl, signal }: Place,
  tests: readonly string[],
  withinMs: number,
): Promise<TestRun> {
  const began = performance.now();
  const vitest = join(folder, 'node_modules/vitest/vitest.mjs');
  const child = spawn(process.execPath, [vitest, 'run', '--bail=1', '--reporter=dot', ...tests], {
    cwd: folder,
    // A group of its own, so that no process of a hanging test outlives it.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TEST_DATABASE_URL: databaseUrl, NO_COLOR: '1' },
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const kill = (name: NodeJS.Signals) => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, name);
    } catch {
      // All of them have ended.
    }
  };
  let isHung = false;
  const stop = () => {
    kill('SIGTERM');
    setTimeout(() => kill('SIGKILL'), STOP_WITHIN_MS).unref();
  };
  const limit = setTimeout(() => {
    isHung = true;
    stop();
  }, withinMs);
  signal.addEventListener('abort', stop, { once: true });
  const written = Promise.all([text(child.stdout), text(child.stderr)]);
  const code = await exited;
  clearTimeout(limit);
  signal.removeEventListener('abort', stop);
  kill('SIGKILL');
  const ended = isHung ? 'hung' : code === 0 ? 'passed' : 'failed';
  const output = (await written).join('');
  const failed = /^ FAIL +(?:\|\w+\| )?(.+)$/m.exec(output)?.[1];
  return { ended, seconds: (performance.now() - began) / 1000, failed, output };
}
