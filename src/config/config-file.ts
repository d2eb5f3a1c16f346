import { parseEnv } from 'node:util';

import { ConfigError } from '../model/errors.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The file of a folder that is read without being asked for. */
export const CONFIG_FILE = 'order-sync.env';

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
