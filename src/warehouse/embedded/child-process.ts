/** Short-lived children: the tools of PostgreSQL and of the system. */
import { execFile } from 'node:child_process';

/** The operating system's account a child runs under; empty: the account of this process. */
export type Account = { readonly uid?: number; readonly gid?: number };
export type Outcome = { readonly ok: boolean; readonly output: string };

const KEPT_VARIABLES = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'LD_LIBRARY_PATH'];

/**
 * The environment for the keeper and the server: they outlive the command that started them, so they get none of its
 * secrets, and no `PG*` variable that would change what the tools do. The locale makes the server's log English.
 */
export function plainEnvironment(): Record<string, string> {
  const kept = KEPT_VARIABLES.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(kept), LC_ALL: 'C' };
}

/** Runs a program to its end. Never throws: a program that cannot be started is an outcome too. */
export function run(
  file: string,
  args: readonly string[],
  options: { readonly account?: Account; readonly cwd?: string } = {},
): Promise<Outcome> {
  const { account = {}, cwd = '/' } = options;
  return new Promise((resolve) => {
    const started = { ...account, cwd, env: plainEnvironment(), windowsHide: true };
    try {
      execFile(file, [...args], started, (error, stdout, stderr) => {
        const output = `${stdout}${stderr}`;
        resolve({ ok: error === null, output: output === '' && error !== null ? error.message : output });
      });
    } catch (error) {
      // Some failures of starting, such as a missing right to change the account, are thrown at once.
      resolve({ ok: false, output: error instanceof Error ? error.message : String(error) });
    }
  });
}
