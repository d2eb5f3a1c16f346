/** The settings file of a command line: that of `--config`, else of `ORDER_SYNC_CONFIG`, else `order-sync.env`. */
import { existsSync, readFileSync } from 'node:fs';
import { access, constants, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';

import { ConfigError, UsageError } from '../model/errors.ts';
import { nextStep } from '../model/next-step.ts';
import type { CliContext } from './output/io.ts';

type Env = CliContext['env'];

/** The file of a folder that is read without being asked for. */
const CONFIG_FILE = 'order-sync.env';

/** @returns `isRequired`: the command line or the environment names it, so it must exist */
export function findConfigFile({ env, directory, flags }: CliContext) {
  const configured = flags.config ?? env['ORDER_SYNC_CONFIG']?.trim() ?? '';
  return { path: resolve(directory, configured || CONFIG_FILE), isRequired: configured !== '' };
}

/** Whether commands in this folder read that file by themselves. */
export const isUsualFile = (path: string, { directory }: CliContext) => path === join(directory, CONFIG_FILE);

/**
 * The context with the file's settings, overridden by the environment's. The file is read again whenever settings are, so a
 * worker that reloads them sees what was changed there too.
 */
export function withConfig(context: CliContext): CliContext {
  return {
    ...context,
    get env() {
      const { path, isRequired } = findConfigFile(context);
      const text = readConfigFile(path, isRequired);
      if (text === undefined) return context.env;
      const broken = findBrokenLines(text).map((line) => `${path} line ${line} is not NAME=value`);
      if (broken.length > 0) throw new ConfigError(broken);
      return withConfigFile(context.env, text);
    },
  };
}

/** @returns undefined where there is none, and none was asked for */
function readConfigFile(path: string, isRequired: boolean): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (isAbsent && !isRequired) return undefined;
    const advice = isAbsent
      ? `it does not exist; \`${nextStep('write settings')}\` writes one`
      : 'it cannot be read; check its permissions';
    throw new ConfigError([`the settings file ${path}: ${advice}`]);
  }
}

/**
 * The settings of an env file, beneath those of the environment: where the environment has `NAME` or `NAME_FILE`, the
 * file's `NAME` and `NAME_FILE` do not count.
 *
 * @param text lines such as `SHOP_LOGIN='admin'`, as Docker and systemd read them too
 */
export function withConfigFile(env: Env, text: string): Env {
  const isSet = (name: string) => (env[name] ?? '').trim() !== '';
  const others = Object.entries(parseEnv(text)).filter(([name]) => {
    const setting = name.replace(/_FILE$/, '');
    return !isSet(setting) && !isSet(`${setting}_FILE`);
  });
  return { ...env, ...Object.fromEntries(others) };
}

/** Numbers of the lines of an env file that set nothing, and are neither empty nor a comment. No setting has two lines. */
export function findBrokenLines(text: string): readonly number[] {
  const isRight = (line: string) => /^\s*(#|$|(export\s+)?[^\s=#'"`]+\s*=)/.test(line);
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  return lines.flatMap((line, index) => (isRight(line) ? [] : [index + 1]));
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

/** The text of an env file with these settings. @throws ConfigError for a value that none can hold */
export function formatConfigFile(settings: Readonly<Record<string, string>>): string {
  const lines = Object.entries(settings).map(([name, value]) => {
    // Only in single quotes does Docker, too, take every other character as it is.
    if (!/['\r\n\0]/.test(value)) return `${name}='${value}'\n`;
    const rule = 'a settings file cannot hold single quotes and line breaks';
    throw new ConfigError([`${name}: ${rule}; keep it in a file of its own, and set ${name}_FILE`]);
  });
  return lines.join('');
}
