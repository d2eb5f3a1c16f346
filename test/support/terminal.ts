/** The command line on a pseudo-terminal, which `script` of util-linux provides. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

import { compileCache, mainScript } from './command-line.ts';

const version = spawnSync('script', ['--version']);
/** Other systems have a `script` with other options. */
export const HAS_SCRIPT = version.status === 0 && version.stdout.toString().includes('util-linux');

export type OnTerminal = {
  readonly code: number | null;
  /** All that was written, line by line, each redrawing of a line for itself; without control sequences. */
  readonly lines: readonly string[];
};

type Typing = { readonly write: (keys: string) => void };

/** Whatever waits for a key for ever ends with this. */
const TIMEOUT_MS = 60_000;

/**
 * Runs a command on a terminal of 80 columns.
 *
 * @param meanwhile may press keys
 */
export async function runOnTerminal(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  meanwhile: (typing: Typing) => Promise<void> = async () => undefined,
): Promise<OnTerminal> {
  const quoted = [process.execPath, mainScript(), ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qec', `stty cols 80 rows 24; exec ${quoted}`, '/dev/null'], {
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      NODE_COMPILE_CACHE: compileCache(),
      ORDER_SYNC_CONFIG: '/dev/null',
      SHELL: '/bin/sh',
      ...env,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  let screen = '';
  child.stdout.on('data', (chunk: Buffer) => (screen += chunk.toString()));
  await Promise.all([once(child, 'close'), meanwhile({ write: (keys) => void child.stdin.write(keys) })]);
  // oxlint-disable-next-line no-control-regex
  const plain = screen.replaceAll(/\u001B\[[\d;?]*[A-Za-z]/g, '');
  return { code: child.exitCode, lines: plain.split(/[\r\n]+/).filter((line) => line !== '') };
}
