/** The real command line in a process of its own, and what it used. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** As it is installed: `npm run bench` builds it. */
const MAIN = join(import.meta.dirname, '../../dist/main.js');
const PRELOAD = join(import.meta.dirname, 'usage-preload.ts');

export type Usage = {
  readonly wallMs: number;
  /** User and system time of the process. */
  readonly cpuMs: number;
  readonly peakBytes: number;
};

export type Measured = Usage & { readonly output: string };

/**
 * Runs `order-sync` with nothing in its environment but what is given.
 *
 * @throws Error when it ends with another exit code than 0
 */
export async function runMeasured(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  script = MAIN,
): Promise<Measured> {
  const folder = await mkdtemp(join(tmpdir(), 'order-sync-bench-'));
  const usageFile = join(folder, 'usage.json');
  const began = performance.now();
  try {
    const child = spawn(process.execPath, ['--import', PRELOAD, script, ...args], {
      cwd: folder,
      env: { PATH: process.env['PATH'], ORDER_SYNC_USAGE: usageFile, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [output, errors, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
    ]);
    const wallMs = performance.now() - began;
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${errors.slice(-2_000)}`);
    const usage = JSON.parse(await readFile(usageFile, 'utf8')) as Omit<Usage, 'wallMs'>;
    return { ...usage, wallMs, output };
  } finally {
    await rm(folder, { recursive: true });
  }
}
