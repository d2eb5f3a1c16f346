import { parseEnv } from 'node:util';

import { ConfigError } from '../errors.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The file of a folder that is read without being asked for. */
export const CONFIG_FILE = 'order-sync.env';

/** Each of them may occur in a value, but not all in one. */
const QUOTES = ["'", '"', '`'];

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

/**
 * The text of an env file with these settings.
 *
 * @throws ConfigError for a value that no env file can hold
 */
export function formatConfigFile(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${quote(name, value)}\n`)
    .join('');
}

function quote(name: string, value: string): string {
  // Docker puts variables into double quotes, and `\n` means a new line there.
  const mark = QUOTES.find((candidate) => !value.includes(candidate) && isPlainIn(candidate, value));
  if (mark !== undefined && !/[\r\n\0]/.test(value)) return mark + value + mark;
  const rule = 'a settings file cannot hold line breaks, or all kinds of quotes at once';
  throw new ConfigError([`${name}: ${rule}; keep it in a file of its own, and set ${name}_FILE`]);
}

function isPlainIn(mark: string, value: string): boolean {
  return mark === "'" || !/[\\$]/.test(value);
}
