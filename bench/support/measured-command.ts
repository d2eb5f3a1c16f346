/** Programs in processes of their own, and what they used. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { transformSync } from 'esbuild';

/** As it is installed: `npm run bench` builds it. */
export const MAIN = join(import.meta.dirname, '../../dist/main.js');
/** Without its types: a process that strips them by itself takes 20 MB and a tenth of a second for it. */
const PRELOAD = `data:text/javascript,${encodeURIComponent(
  transformSync(readFileSync(join(import.meta.dirname, 'usage-preload.ts'), 'utf8'), { loader: 'ts' }).code,
)}`;

/** As the first line of main.js says. */
const [FLAGS, ALWAYS] = [
  ['--max-semi-space-size=16', '--heap-growing-percent=40', '--import', PRELOAD],
  { MALLOC_ARENA_MAX: '1' },
];

export type Usage = {
  readonly wallMs: number;
  /** User and system time of the process. */
  readonly cpuMs: number;
  readonly peakBytes: number;
};

/** The requests of a program. */
export type Traffic = {
  /** Those that were answered: when each was sent and its response was read, in milliseconds since the process began. */
  readonly exchanges: readonly { readonly sentMs: number; readonly endedMs: number }[];
  /** Milliseconds from the end of a response to the next request on its connection. */
  readonly gapsMs: readonly number[];
};

export type Measured = Usage & { readonly output: string };

type Env = Readonly<Record<string, string>>;

/**
 * Runs `order-sync`, or another script of Node.js, with nothing in its environment but what is given.
 *
 * @param codes exit codes that are as good as 0
 * @throws Error when it ends with another exit code
 */
export function runMeasured(
  args: readonly string[],
  env: Env,
  script = MAIN,
  codes: readonly number[] = [],
): Promise<Measured> {
  return measure(process.execPath, [...FLAGS, script, ...args], { ...ALWAYS, ...env }, codes);
}

/** Runs `order-sync` as `runMeasured` does, and records its requests. */
export function runTraced(args: readonly string[], env: Env): Promise<Measured & Traffic> {
  const recorded = { ...ALWAYS, ORDER_SYNC_TRAFFIC: 'recorded', ...env };
  return measure<Traffic>(process.execPath, [...FLAGS, MAIN, ...args], recorded);
}

/**
 * @param script leaves what it used in the file of ORDER_SYNC_USAGE by itself
 * @throws Error when it ends with another exit code than 0
 */
export function runPython(python: string, script: string, env: Env): Promise<Measured> {
  return measure(python, [script], env);
}

async function measure<Told = unknown>(
  command: string,
  args: readonly string[],
  env: Env,
  codes: readonly number[] = [],
): Promise<Measured & Told> {
  const folder = await mkdtemp(join(tmpdir(), 'order-sync-bench-'));
  const usageFile = join(folder, 'usage.json');
  const began = performance.now();
  try {
    const child = spawn(command, args, {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder, ORDER_SYNC_USAGE: usageFile, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [output, errors, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
    ]);
    const wallMs = performance.now() - began;
    if (code !== 0 && !codes.includes(code))
      throw new Error(`${args.join(' ')} ended with ${code}: ${errors.slice(-2_000)}`);
    const usage = JSON.parse(await readFile(usageFile, 'utf8')) as Omit<Usage, 'wallMs'> & Told;
    return { ...usage, wallMs, output };
  } finally {
    await rm(folder, { recursive: true });
  }
}
