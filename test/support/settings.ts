/** Settings as a test sets them: environment values, and files that are really read. */
import { readFileSync } from 'node:fs';

import { type Config, loadConfig } from '../../src/config/load-config.ts';
import { ConfigError } from '../../src/model/errors.ts';
import type { ShopConfig } from '../../src/config/shop-config.ts';

export type Env = Readonly<Record<string, string | undefined>>;

const readFile = (path: string) => readFileSync(path, 'utf8');
export const parse = (env: Env, shop = true): Config => loadConfig({ env, readFile }, { shop });

/** The one shop of these settings. */
export function parseShop(env: Env): ShopConfig {
  const [shop, ...others] = parse(env).shops;
  if (shop === undefined || others.length > 0) throw new Error('these settings are not of one shop');
  return shop;
}

/** Every problem that is told of these settings; none where they are accepted. */
export function problemsOf(env: Env, shop = true): readonly string[] {
  return problemsIn(() => parse(env, shop));
}

export function problemsIn(parse: () => Config): readonly string[] {
  try {
    parse();
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
