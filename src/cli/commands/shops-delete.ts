import { UsageError } from '../../errors.ts';
import { deleteShop } from '../../sync/shops/delete-shop.ts';
import { countShopRows, type TableRows } from '../../warehouse/directory/delete-shop.ts';
import { openWarehouse, readConfig } from '../open.ts';
import { type CliContext, EXIT, type ExitCode } from '../output/io.ts';
import { grouped, table } from '../output/table.ts';
import { findStoredShop, readConfiguredKeys } from '../stored-shops.ts';

/** `shops delete`: deletes a shop with all its rows, or says what that would delete. */
export async function deleteCommand(
  context: CliContext,
  key: string,
  options: { readonly yes?: boolean },
): Promise<ExitCode> {
  const isConfigured = readConfiguredKeys(context).includes(key);
  await using warehouse = await openWarehouse(context, readConfig(context));
  const { db } = warehouse;
  const shop = await findStoredShop(db, key);
  if (options.yes !== true) {
    context.io.out(rowsText(await countShopRows(db, shop.shopId)));
    throw new UsageError(
      `These rows of shop ${key} would be deleted, and nothing brings back what the shop itself has deleted since. Add --yes ` +
        `to delete them, or keep them with order-sync shops retire ${key}`,
    );
  }
  const deleted = new Map<string, number>();
  await deleteShop({ db, signal: context.signal }, shop, ({ table, rows }) => {
    deleted.set(table, (deleted.get(table) ?? 0) + rows);
  });
  context.io.out(rowsText([...deleted].map(([table, rows]) => ({ table, rows }))));
  context.io.out(`Shop ${key} is deleted.\n`);
  if (isConfigured) {
    context.io.err(`It is still configured: remove it from the settings, or the next sync loads it anew.\n`);
  }
  return EXIT.done;
}

function rowsText(counted: readonly TableRows[]): string {
  return table([['table', 'rows'], ...counted.map(({ table, rows }) => [table, grouped(rows)])]);
}
