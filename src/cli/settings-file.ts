/** The settings file of a command line: that of `--config`, else of `ORDER_SYNC_CONFIG`, else `order-sync.env`. */
import { existsSync, readFileSync } from 'node:fs';
import { access, constants, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

import { CONFIG_FILE, findBrokenLines, formatConfigFile, withConfigFile } from '../config/config-file.ts';
import { ConfigError, UsageError } from '../model/errors.ts';
import { nextStep } from '../model/next-step.ts';
import type { CliContext } from './output/io.ts';

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
  return {
    ...context,
    get env() {
      const file = findConfigFile(context, option());
      const text = readConfigFile(file);
      if (text === undefined) return context.env;
      const broken = findBrokenLines(text).map((line) => `${file.path} line ${line} is not NAME=value`);
      if (broken.length > 0) throw new ConfigError(broken);
      return withConfigFile(context.env, text);
    },
  };
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
