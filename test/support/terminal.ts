/** The command line on a pseudo-terminal, which `script` of util-linux provides. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';

import { owned } from './children.ts';
import { compileCache, mainScript } from './command-line.ts';
import { needs } from './needs.ts';
import { lifeMs } from './patience.ts';
import { until } from './until.ts';

const version = spawnSync('script', ['--version']);
/** Other systems have a `script` with other options. */
export const WITH_SCRIPT = needs(
  version.status === 0 && version.stdout.toString().includes('util-linux'),
  '`script` of util-linux, which makes a terminal, is not installed',
);

export type OnTerminal = {
  readonly code: number | null;
  /** All that was written, line by line, each redrawing of a line for itself; without control sequences. */
  readonly lines: readonly string[];
};

type Typing = {
  readonly write: (keys: string) => void;
  /** Settles once a text is on the screen, after what was waited for before. */
  readonly until: (text: string) => Promise<void>;
};

/**
 * Runs a command on a terminal of 80 columns.
 *
 * @param meanwhile may press keys
 * @param cwd the folder to run in
 */
export async function runOnTerminal(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  meanwhile: (typing: Typing) => Promise<void> = async () => undefined,
  cwd?: string,
): Promise<OnTerminal> {
  const quoted = [process.execPath, mainScript(), ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qec', `stty cols 80 rows 24; exec ${quoted}`, '/dev/null'], {
    cwd,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      NODE_COMPILE_CACHE: compileCache(),
      ORDER_SYNC_CONFIG: '/dev/null',
      SHELL: '/bin/sh',
      TERM: 'xterm',
      ...env,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout: lifeMs(),
    killSignal: 'SIGKILL',
  });
  owned(child);
  let [screen, seen] = ['', 0];
  child.stdout.on('data', (chunk: Buffer) => (screen += chunk.toString()));
  const write = (keys: string) => void child.stdin.write(keys);
  const isShown = (text: string) => {
    const plain = stripVTControlCharacters(screen);
    const at = plain.indexOf(text, seen);
    if (at !== -1) seen = at + text.length;
    else if (child.exitCode !== null)
      throw new Error(`the command ended without ${JSON.stringify(text)}: ${plain}`);
    return at !== -1 || plain;
  };
  const untilShown = (text: string) => until(`${JSON.stringify(text)} is shown`, () => isShown(text));
  try {
    await Promise.all([once(child, 'close'), meanwhile({ write, until: untilShown })]);
  } finally {
    child.kill('SIGKILL');
  }
  const lines = stripVTControlCharacters(screen).split(/[\r\n]+/);
  return { code: child.exitCode, lines: lines.filter((line) => line !== '') };
}
