/** Where tests keep the data of their PostgreSQL servers. */
import { spawn } from 'node:child_process';
import { access, chmod, constants, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const IN_MEMORY = '/dev/shm';
/** The tests need less than half of this; containers often have 64 MB there. */
const ROOM_BYTES = 4 * 2 ** 30;

/**
 * A folder in memory where there is one with room for it: every test copies a database, which takes ten times as
 * long on a disk. Elsewhere the folder for temporary files.
 */
export async function scratchFolder(): Promise<string> {
  try {
    await access(IN_MEMORY, constants.W_OK);
    const { bavail, bsize } = await statfs(IN_MEMORY);
    return bavail * bsize < ROOM_BYTES ? tmpdir() : IN_MEMORY;
  } catch {
    return tmpdir();
  }
}

/**
 * A temporary folder that other accounts may enter: root's server runs under one, and would keep its data elsewhere.
 *
 * @returns to be disposed, which removes it
 */
export async function openFolder(name: string): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(await scratchFolder(), `order-sync-${name}-`));
  await chmod(path, 0o755);
  return { path, ...removedInTheEnd(path) };
}

const kept = new Set<string>();

/** @returns to be disposed, which removes a folder; a process that ends before, as by Ctrl-C, has it removed too */
export function removedInTheEnd(path: string): AsyncDisposable {
  kept.add(path);
  return {
    async [Symbol.asyncDispose]() {
      await rm(path, { recursive: true, force: true });
      kept.delete(path);
    },
  };
}

/** A server in it ends within seconds once its user has, and would write until then. */
const REMOVE = `
  for folder; do
    for attempt in 1 2 3 4 5 6 7 8 9 10; do
      [ ! -e "$folder/.order-sync/postgres/postmaster.pid" ] || sleep 1
    done
    rm -rf "$folder"
  done`;

process.once('exit', () => {
  if (kept.size === 0) return;
  spawn('/bin/sh', ['-c', REMOVE, 'sh', ...kept], { detached: true, stdio: 'ignore' }).unref();
});
