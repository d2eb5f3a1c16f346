/** A migrated warehouse with one shop, for what writes into it without a sweep. */
import { type Database, openDatabase } from '../../src/warehouse/db/database.ts';
import { runMigrations } from '../../src/warehouse/db/migrations.ts';
import { FIRST_STATE } from '../../test/support/first-state.ts';
import { registerShop } from '../../src/warehouse/directory/registered-shops.ts';

export async function openWarehouse(url: string): Promise<Database & { readonly shopId: number }> {
  const database = await openDatabase(url);
  await runMigrations(database);
  const shop = { shopKey: 'shop', baseUrl: 'https://shop.example', timezone: 'Europe/Berlin' };
  return Object.assign(database, { shopId: await registerShop(database.db, shop, FIRST_STATE) });
}
