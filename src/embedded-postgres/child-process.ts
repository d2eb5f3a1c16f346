/** Short-lived children: the tools of PostgreSQL and of the system. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** The operating system's account that a child runs under, where it is not that of this process. */
export type Account = { readonly uid: number; readonly gid: number };

const KEPT_VARIABLES = ['PATH', 'HOME', 'TMPDIR', 'LD_LIBRARY_PATH'];

/**
 * How to start what may outlive this process: in a session of its own, out of reach of Ctrl-C in the terminal; with none
 * of our secrets and no `PG*` variable that would change what the tools do; with a locale that makes messages English.
 */
export function detachedOptions(account?: Account) {
  const kept = Object.entries(process.env).filter(([name]) => KEPT_VARIABLES.includes(name));
  const env = { ...Object.fromEntries(kept), LC_ALL: 'C' };
  return { ...account, cwd: '/', env, detached: true };
}

/** Runs a program to its end. Never throws: a program that cannot be started is an outcome too. */
export async function run(file: string, args: readonly string[], account?: Account) {
  try {
    const child = spawn(file, args, detachedOptions(account));
    const ended = [once(child, 'close'), text(child.stdout), text(child.stderr)] as const;
    const [[exitCode], ...output] = await Promise.all(ended);
    return { ok: exitCode === 0, output: output.join('') };
  } catch (error) {
    return { ok: false, output: error instanceof Error ? error.message : String(error) };
  }
}

/** What a program complained of last, in its output. */
export function complaintIn(output: string): string {
  const complaint = [...output.matchAll(/(?:FATAL|PANIC|[Ee]rror):\s+(.+)$/gm)].at(-1)?.[1];
  return (complaint ?? output.trim().split('\n').at(-1))?.trim() || 'it gave no reason';
}
