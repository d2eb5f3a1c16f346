/** The real command line, as a process of its own: the program as it is shipped, which starts faster than its source. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import type { Simulator } from '../../src/simulator/server.ts';
import { owned } from './children.ts';
import { FOREIGN_MACHINE } from './foreign-machine.ts';
import { assertDocumented } from './json-lines.ts';
import { lifeMs } from './patience.ts';
import { provided } from './provided.ts';
import { IS_LONG } from './long.ts';

let ownProgram: string | undefined;

/** For a script that is no test: the folder of the built program. */
export function useProgram(folder: string): void {
  ownProgram = folder;
}

const programFolder = () => ownProgram ?? provided('testProgram');
/** The script to start. */
export const mainScript = () => join(programFolder(), 'main.js');
/** Most of a short life is compiling. */
export const compileCache = () => join(programFolder(), 'compile-cache');

export type Outcome = {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
};

export type Running = { readonly process: ChildProcess; readonly outcome: Promise<Outcome> };

/** The settings file of whoever runs the tests is not theirs. */
export const NO_FILE = { ORDER_SYNC_CONFIG: '/dev/null' };

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Starts a command with just these settings; nothing of the tests' own environment but the path, and where they run, reaches it.
 *
 * @param input for its standard input, which has none otherwise
 * @param mayLiveMs how long it may take before it is killed, and its outcome is an error
 */
export function startCommand(
  args: readonly string[],
  env: Env,
  cwd = process.cwd(),
  input?: string | Uint8Array,
  mayLiveMs = IS_LONG ? Infinity : lifeMs(),
): Running {
  const started = spawn(process.execPath, [mainScript(), ...args], {
    cwd,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      ...FOREIGN_MACHINE,
      NODE_COMPILE_CACHE: compileCache(),
      ...NO_FILE,
      ...env,
    },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  const child = owned(started);
  child.stdin?.end(input);
  const outcome = collect(child, args, mayLiveMs);
  // Not everybody waits for it.
  outcome.catch(() => undefined);
  return { process: child, outcome };
}

export async function runCommand(args: readonly string[], env: Env, cwd?: string): Promise<Outcome> {
  return startCommand(args, env, cwd).outcome;
}

/** Whatever a command prints as JSON must be as documented; one that was killed may end in the middle of a line. */
async function collect(child: ChildProcess, args: readonly string[], mayLiveMs: number): Promise<Outcome> {
  let [stdout, stderr] = ['', ''];
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  let isLate = false;
  const kill = () => {
    isLate = true;
    child.kill('SIGKILL');
  };
  const limit = mayLiveMs === Infinity ? undefined : setTimeout(kill, mayLiveMs);
  await once(child, 'close');
  clearTimeout(limit);
  if (isLate) {
    const said = `it said: ${stdout}${stderr}`;
    throw new Error(`${args.join(' ')}: killed after ${mayLiveMs} ms; ${said}`);
  }
  if (child.signalCode === null) assertDocumented(args, stdout);
  return { code: child.exitCode, signal: child.signalCode, stdout, stderr };
}

/** What a process has written to a stream, once that matches. @throws Error when the process ends before */
export function untilSaid(
  { process: child, outcome }: Running,
  stream: 'stdout' | 'stderr',
  pattern: RegExp,
): Promise<RegExpExecArray> {
  const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
  let text = '';
  child[stream]?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    const match = pattern.exec(text);
    if (match !== null) resolve(match);
  });
  outcome.then(
    ({ stderr }) => reject(new Error(`it ended before it said ${pattern.source}: ${stderr}`)),
    reject,
  );
  // Not everybody waits for it.
  promise.catch(() => undefined);
  return promise;
}

/** Settings that point at a simulated shop, without throttle. */
export function settingsFor(simulator: Simulator, databaseUrl: string): Record<string, string> {
  return {
    SHOP_URL: simulator.url,
    SHOP_LOGIN: 'admin',
    SHOP_API_KEY: 'simulated-key',
    SHOP_TIMEZONE: 'Europe/Berlin',
    SHOP_MAX_CONCURRENCY: '8',
    SHOP_MAX_RPS: '100000',
    DATABASE_URL: databaseUrl,
    // The fewest that are allowed: each one costs the server as much as a small test.
    DATABASE_CONNECTIONS: '5',
  };
}
