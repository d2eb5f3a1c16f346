/** Settings as a test sets them: environment values, and files that are really read. */
import { readFileSync } from 'node:fs';

import { type Config, parseConfig } from '../../src/config.ts';
import { ConfigError } from '../../src/errors.ts';

export type Env = Readonly<Record<string, string | undefined>>;

const readFile = (path: string) => readFileSync(path, 'utf8');
export const parse = (env: Env, shop = true): Config => parseConfig({ env, readFile }, { shop });

/** Every problem that is told of these settings; none where they are accepted. */
export function problemsOf(env: Env, shop = true): readonly string[] {
  try {
    parse(env, shop);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

/** All that a shop needs. */
export const complete = {
  SHOP_URL: 'https://shop.example',
  SHOP_LOGIN: 'admin',
  SHOP_API_KEY: 'k3y',
  SHOP_TIMEZONE: 'Europe/Berlin',
};

/** The settings that problems speak of. */
export const names = (problems: readonly string[]) => problems.map((problem) => problem.split(' ')[0] ?? '');
