import { parseEnv } from 'node:util';

import { ConfigError } from '../model/errors.ts';

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

const ENTRY = /^\s*(?:export\s+)?[^\s=#'"`]+\s*=\s*(?<mark>['"`])?/;

/** Numbers of the lines of an env file that set nothing, and are neither empty nor a comment. */
export function findBrokenLines(text: string): readonly number[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  const broken: number[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    if (/^\s*(#|$)/.test(line)) continue;
    const entry = ENTRY.exec(line);
    if (entry === null) broken.push(index + 1);
    const mark = entry?.groups?.['mark'];
    if (entry === null || mark === undefined || line.slice(entry[0].length).includes(mark)) continue;
    // A value in quotes may go on to a later line.
    const end = lines.findIndex((later, number) => number > index && later.includes(mark));
    if (end > 0) index = end;
  }
  return broken;
}

const SECRETS =
  /^\s*(export\s+)?(SHOP_API_KEY|DATABASE_URL|DATABASE_PASSWORD|OPS_PASSWORD|PII_SECRET|ALERT_WEBHOOK_URL)\s*=\s*\S/m;

/** Whether an env file holds a secret itself, rather than the name of a file with it. */
export function holdsSecrets(text: string): boolean {
  return SECRETS.test(text);
}

/** The text of an env file with these settings. @throws ConfigError for a value that none can hold */
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
