import { existsSync } from 'node:fs';
import { access, appendFile, constants, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { formatConfigFile } from '../../../config/config-file.ts';
import { UsageError } from '../../../errors.ts';
import { nextStep } from '../../../next-step.ts';

const HEADING = `# Written by \`${nextStep('write settings')}\`. Contains the shop's API key: keep it out of version control.\n`;

/** @throws UsageError if there is such a file, and it must not be replaced */
export function refuseExisting(path: string, isForced: boolean): void {
  if (isForced || !existsSync(path)) return;
  throw new UsageError(`${path} exists already; --force replaces it, --config PATH writes another`);
}

/** Before anybody answers questions. @throws UsageError if the folder does not exist or takes no file */
export async function assertWritable(path: string): Promise<void> {
  try {
    await access(dirname(path), constants.W_OK);
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

function cannotWrite(path: string, error: unknown): UsageError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  return new UsageError(`${path} cannot be written (${code})`, { cause: error });
}

/** Writes the settings whole or not at all, to a file that its owner alone can read. */
export async function writeConfigFile(
  path: string,
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  const text = HEADING + formatConfigFile(settings);
  const draft = `${path}.${process.pid}.tmp`;
  try {
    await writeFile(draft, text, { mode: 0o600, flag: 'wx' });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw cannotWrite(path, error);
  }
}

/**
 * Adds the file to the folder's `.gitignore`, if the folder is part of a Git repository and does not ignore it yet.
 *
 * @returns whether something was added
 */
export async function ignoreInGit(path: string): Promise<boolean> {
  const folder = dirname(path);
  if (!isInRepository(folder)) return false;
  const file = join(folder, '.gitignore');
  const lines = await readFile(file, 'utf8').catch(() => '');
  const name = basename(path);
  if (lines.split(/\r?\n/).some((line) => [name, `/${name}`, '*.env'].includes(line.trim()))) return false;
  await appendFile(file, `${lines === '' || lines.endsWith('\n') ? '' : '\n'}/${name}\n`);
  return true;
}

function isInRepository(folder: string): boolean {
  const parent = dirname(folder);
  return existsSync(join(folder, '.git')) || (parent !== folder && isInRepository(parent));
}
