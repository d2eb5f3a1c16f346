/** What a data folder says of the server that runs, or ran, on it. */
import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { platform } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export type Postmaster = { readonly pid: number; readonly port: number };

/**
 * The live server of a data folder. Removes a pid file whose pid another program has by now: the server itself sees
 * through every other leftover, but not through that one.
 */
export async function findPostmaster(dataFolder: string): Promise<Postmaster | undefined> {
  const file = join(dataFolder, 'postmaster.pid');
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n');
  const postmaster = { pid: Number(lines[0]), port: Number(lines[3]) };
  if (!Number.isInteger(postmaster.pid) || postmaster.pid <= 0) return undefined;
  if (!isAlive(postmaster.pid)) return undefined;
  const command = await commandLine(postmaster.pid);
  // The second line is the folder as the server itself calls it.
  if ([dataFolder, lines[1] ?? ''].some((name) => name !== '' && command.includes(name))) return postmaster;
  await rm(file, { force: true });
  return undefined;
}

/** The port of the last server that ran on the data folder. */
export async function lastPort(dataFolder: string): Promise<number | undefined> {
  const command = await readFile(join(dataFolder, 'postmaster.opts'), 'utf8').catch(() => '');
  const port = /"-p" "(\d+)"/.exec(command)?.[1];
  return port === undefined ? undefined : Number(port);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Names the data folder when the process is its server. A zombie has none, and counts as dead. */
async function commandLine(pid: number): Promise<string> {
  if (platform() === 'linux') return await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  const [file, args] =
    platform() === 'win32'
      ? ['powershell', ['-Command', `(Get-CimInstance Win32_Process -Filter ProcessId=${pid}).CommandLine`]]
      : ['ps', ['-o', 'command=', '-ww', '-p', String(pid)]];
  return await promisify(execFile)(file, args).then(
    ({ stdout }) => stdout,
    () => '',
  );
}
