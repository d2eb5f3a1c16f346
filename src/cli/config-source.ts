import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { CONFIG_FILE, withConfigFile } from '../config/config-file.ts';
import { ConfigError } from '../errors.ts';
import type { CliContext } from './output/io.ts';

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
  return {
    ...context,
    get env() {
      const text = readConfigFile(findConfigFile(context, option()));
      return text === undefined ? context.env : withConfigFile(context.env, text);
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
      ? 'it does not exist; `order-sync init` writes one'
      : 'it cannot be read; check its permissions';
    throw new ConfigError([`the settings file ${path}: ${advice}`]);
  }
}
