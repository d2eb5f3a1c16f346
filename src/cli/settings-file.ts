/** The settings file of a command line: that of `--config`, else of `ORDER_SYNC_CONFIG`, else `order-sync.env`. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { access, appendFile, constants, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

import {
  CONFIG_FILE,
  findBrokenLines,
  formatConfigFile,
  holdsSecrets,
  withConfigFile,
} from '../config/config-file.ts';
import { ConfigError, UsageError } from '../model/errors.ts';
import { nextStep } from '../model/next-step.ts';
import { type CliContext, note } from './output/io.ts';

export type ConfigPath = {
  readonly path: string;
  /** It was asked for, so it must exist. */
  readonly isGiven: boolean;
};

/** @param option the value of `--config` */
export function findConfigFile({ env, directory }: CliContext, option: string | undefined): ConfigPath {
  const given = option ?? env['ORDER_SYNC_CONFIG']?.trim() ?? '';
  return given === ''
    ? { path: join(directory, CONFIG_FILE), isGiven: false }
    : { path: resolve(directory, given), isGiven: true };
}

/**
 * The context with the file's settings beneath the environment's. The file is read anew whenever settings are, so a
 * worker that reloads them sees what was changed there too.
 */
export function withConfig(context: CliContext, option: () => string | undefined): CliContext {
  let isWarned = false;
  return {
    ...context,
    get env() {
      const file = findConfigFile(context, option());
      const text = readConfigFile(file);
      if (text === undefined) return context.env;
      if (!isWarned && isExposed(file.path, text)) {
        note(
          context,
          `Warning: others can read ${file.path}, which holds secrets; chmod 600 changes that.\n`,
        );
      }
      isWarned = true;
      const broken = findBrokenLines(text).map((line) => `${file.path} line ${line} is not NAME=value`);
      if (broken.length > 0) throw new ConfigError(broken);
      return withConfigFile(context.env, text);
    },
  };
}

/** The right of everybody to read a file. */
const OTHERS_READ = 0o004;

/** Windows shows that right of every file. */
function isExposed(path: string, text: string): boolean {
  if (process.platform === 'win32' || !holdsSecrets(text)) return false;
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && (found.mode & OTHERS_READ) !== 0;
}

/** @returns undefined where there is none, and none was asked for */
function readConfigFile({ path, isGiven }: ConfigPath): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (isAbsent && !isGiven) return undefined;
    const advice = isAbsent
      ? `it does not exist; \`${nextStep('write settings')}\` writes one`
      : 'it cannot be read; check its permissions';
    throw new ConfigError([`the settings file ${path}: ${advice}`]);
  }
}

/** Before anybody answers questions. @throws UsageError for a file that exists, or a folder that takes none */
export async function assertWritable(path: string, isForced: boolean): Promise<void> {
  if (!isForced && existsSync(path))
    throw new UsageError(`${path} exists already; --force replaces it, --config PATH writes another`);
  await access(dirname(path), constants.W_OK).catch((error: unknown) => refuseWrite(path, error));
}

function refuseWrite(path: string, cause: unknown): never {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error';
  throw new UsageError(`${path} cannot be written (${code})`, { cause });
}

const HEADING = `# Written by \`${nextStep('write settings')}\`. Contains the shop's API key: keep it out of version control.\n`;

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
    refuseWrite(path, error);
  }
}

/**
 * Adds the file to the folder's `.gitignore`, where Git would take it into the folder's repository.
 *
 * @returns whether it was added
 */
export async function ignoreInGit(path: string): Promise<boolean> {
  const folder = dirname(path);
  // 1: it is not ignored; anything else: it is, or there is no repository, or no Git.
  const { status } = spawnSync('git', ['check-ignore', '--quiet', path], { cwd: folder });
  if (status !== 1) return false;
  const file = join(folder, '.gitignore');
  const lines = await readFile(file, 'utf8').catch(() => '');
  await appendFile(file, `${lines === '' || lines.endsWith('\n') ? '' : '\n'}/${basename(path)}\n`);
  return true;
}
