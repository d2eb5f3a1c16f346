import { readFileSync } from 'node:fs';

import { UsageError } from '../errors.ts';
import { Environment } from '../config/settings.ts';
import { SHARED_SETTINGS, type ShopConfig } from '../config/shop-settings.ts';
import type { Db } from '../warehouse/db/database.ts';
import { listShops, type StoredShop } from '../warehouse/directory/registered-shops.ts';
import type { CliContext } from './output/io.ts';
import { shopsConfigOf } from './open.ts';

const readFile = (path: string) => readFileSync(path, 'utf8');

/**
 * The shops of the warehouse, whether they are configured or not.
 *
 * @param wanted the `--shop` of the command line; leaves the others out
 * @throws UsageError when the warehouse holds no such shop
 */
export async function storedShops(db: Db, wanted: string | undefined): Promise<readonly StoredShop[]> {
  const shops = await listShops(db);
  if (wanted === undefined) return shops;
  const found = shops.filter(({ shopKey }) => shopKey === wanted);
  if (found.length > 0) return found;
  const held = shops.map(({ shopKey }) => shopKey).join(', ');
  throw new UsageError(
    `--shop ${wanted}: the warehouse holds no shop of that key; ${held === '' ? 'it holds none yet' : `it holds ${held}`}`,
  );
}

/**
 * The configured secret of the hashes that stand for the guests of a shop, undefined where none is: of the settings that
 * say so, its own alone is asked for, and no address or credentials, unless they stand in the shops file too.
 *
 * @throws ConfigError
 */
export function guestSecretOf(context: CliContext, shopKey: string): string | undefined {
  const environment = new Environment({ env: context.env, readFile });
  const configured = shopsOfFile(context).find((shop) => shop.shopKey === shopKey);
  if (configured) return configured.guestSecret;
  const { piiSecret } = environment.read({ piiSecret: SHARED_SETTINGS.piiSecret });
  environment.refuseProblems();
  return piiSecret;
}

/**
 * The shops of the shops file; none where there is no such file, since a command that asks the database alone needs none.
 *
 * @throws ConfigError when the file is wrong
 */
export function shopsOfFile(context: CliContext): readonly ShopConfig[] {
  const hasFile = new Environment({ env: context.env, readFile }).isSet('SHOPS_FILE');
  return hasFile ? shopsConfigOf(context).shops : [];
}
