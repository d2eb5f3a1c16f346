/** A copy of this checkout in which files may be broken. */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { openFolder } from '../support/scratch-folder.ts';
import type { Fault } from './fault.ts';

export type Copy = AsyncDisposable & {
  readonly folder: string;
  /** Puts a fault into its file; disposing the result restores the file. */
  withFault(fault: Fault): Promise<AsyncDisposable>;
};

export const ROOT = join(import.meta.dirname, '../..');

/** Copies all files that Git knows or would add, as they are now, and links the installed packages. */
export async function openCopy(): Promise<Copy> {
  await using stack = new AsyncDisposableStack();
  const { path: folder } = stack.use(await openFolder('faults'));
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'];
  const { stdout } = await promisify(execFile)('git', list, { cwd: ROOT, maxBuffer: 2 ** 26 });
  for (const file of stdout.split('\0')) if (file !== '') await copy(file, folder);
  await linkPackages(folder);
  const kept = stack.move();
  return { folder, withFault, [Symbol.asyncDispose]: () => kept.disposeAsync() };

  async function withFault({ file, find, replace }: Fault): Promise<AsyncDisposable> {
    const path = join(folder, file);
    const sound = await readFile(path, 'utf8');
    if (sound.split(find).length !== 2)
      throw new RangeError(`${file} must hold ${JSON.stringify(find)} once`);
    await writeFile(
      path,
      sound.replace(find, () => replace),
    );
    return { [Symbol.asyncDispose]: () => writeFile(path, sound) };
  }
}

async function copy(file: string, folder: string): Promise<void> {
  const to = join(folder, file);
  await mkdir(dirname(to), { recursive: true });
  await copyFile(join(ROOT, file), to).catch((error: NodeJS.ErrnoException) => {
    // Deleted, and not yet so in Git.
    if (error.code !== 'ENOENT') throw error;
  });
}

/** A folder of its own with links, since tools keep caches in `node_modules`. */
async function linkPackages(folder: string): Promise<void> {
  const packages = join(folder, 'node_modules');
  await mkdir(packages);
  for (const name of await readdir(join(ROOT, 'node_modules'))) {
    const isCache = name.startsWith('.') && name !== '.bin';
    if (!isCache) await symlink(join(ROOT, 'node_modules', name), join(packages, name));
  }
}
