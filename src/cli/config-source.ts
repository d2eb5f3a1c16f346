import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { CONFIG_FILE, findBrokenLines, holdsSecrets, withConfigFile } from '../config/config-file.ts';
import { ConfigError } from '../errors.ts';
import { type CliContext, note } from './output/io.ts';
import { nextStep } from '../next-step.ts';

/** The settings file of a command line: that of `--config`, else of `ORDER_SYNC_CONFIG`, else `order-sync.env`. */
export type ConfigPath = {
  readonly path: string;
  /** It was asked for, so it must exist. */
  readonly isGiven: boolean;
};

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
