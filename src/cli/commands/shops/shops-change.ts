import * as types from '../../../config/setting-types.ts';
import { TerminalError, UsageError } from '../../../errors.ts';
import type { Db } from '../../../warehouse/db/database.ts';
import type { StoredShop } from '../../../warehouse/directory/registered-shops.ts';
import { renameShop, restoreShop, retireShop } from '../../../warehouse/directory/shop-life.ts';
import type { ShopChangeDocument } from '../../documents/shops.ts';
import { openWarehouse, readConfig } from '../../open.ts';
import { type CliContext, printResult } from '../../output/io.ts';
import { EXIT, type ExitCode } from '../../output/exit-codes.ts';
import { findStoredShop } from '../../stored-shops.ts';

/** `shops retire`: ends all work on a shop, and leaves what was loaded. */
export async function retireCommand(context: CliContext, key: string): Promise<ExitCode> {
  return change(context, key, { change: 'retired' }, async (db, { shopId }) => {
    await retireShop(db, shopId);
    return (
      `Shop ${key} is not synced any more. Its orders stay in the views; status, metrics and alerts leave it out.\n` +
      `To sync it again: order-sync shops restore ${key}. To delete all of it: order-sync shops delete ${key}.\n`
    );
  });
}

/** `shops restore`: takes a retirement back. */
export async function restoreCommand(context: CliContext, key: string): Promise<ExitCode> {
  return change(context, key, { change: 'restored' }, async (db, { shopId }) => {
    await restoreShop(db, shopId);
    return `Shop ${key} is synced again wherever it is configured; the next sync catches up.\n`;
  });
}

/** `shops rename`: gives a shop another key. */
export async function renameCommand(context: CliContext, key: string, newKey: string): Promise<ExitCode> {
  const { data, error } = types.shopKey.safeParse(newKey);
  if (data === undefined) throw new UsageError(`${newKey} ${error?.issues[0]?.message ?? 'is no key'}`);
  if (data === key) throw new UsageError(`${key} is its key already`);
  return change(context, key, { change: 'renamed', shop: data }, async (db, { shopId }) => {
    await renameShop(db, shopId, key, data);
    return `Shop ${key} is now ${data}. Set SHOP_KEY, or its key in SHOPS_FILE, to that: ${key} is refused from now on.\n`;
  });
}

async function change(
  context: CliContext,
  key: string,
  made: Pick<ShopChangeDocument, 'change'> & Partial<Pick<ShopChangeDocument, 'shop'>>,
  work: (db: Db, shop: StoredShop) => Promise<string>,
): Promise<ExitCode> {
  await using warehouse = await openWarehouse(context, readConfig(context));
  const { db } = warehouse;
  const shop = await findStoredShop(db, key);
  try {
    const text = await work(db, shop);
    const document: ShopChangeDocument = {
      shop: key,
      status: 'ok',
      error: null,
      rows: null,
      records: null,
      ...made,
    };
    printResult(context, [document], text);
  } catch (error) {
    if (error instanceof TerminalError) throw new UsageError(`shop ${key}: ${error.message}`);
    throw error;
  }
  return EXIT.done;
}
