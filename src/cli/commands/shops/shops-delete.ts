import { grouped } from '../../../amount-text.ts';
import { UsageError } from '../../../errors.ts';
import { deleteShop } from '../../../sync/shops/delete-shop.ts';
import { countShopRows, type TableRows } from '../../../warehouse/directory/delete-shop.ts';
import type { ShopChangeDocument } from '../../documents/shops.ts';
import { openWarehouse, readConfig } from '../../open.ts';
import { type CliContext, note, printResult } from '../../output/io.ts';
import { EXIT, type ExitCode } from '../../output/exit-codes.ts';
import { table } from '../../output/table.ts';
import { findStoredShop, readConfiguredKeys } from '../../stored-shops.ts';

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
    const rows = await countShopRows(db, shop.shopId);
    if (!context.flags.json) context.io.out(rowsText(rows, context.io.outColumns()));
    throw new UsageError(
      `These rows of shop ${key} would be deleted, and nothing brings back what the shop itself has deleted since. Add --yes ` +
        `to delete them, or keep them with order-sync shops retire ${key}`,
    );
  }
  const deleted = new Map<string, number>();
  await deleteShop({ db, signal: context.signal }, shop, ({ table, rows }) => {
    deleted.set(table, (deleted.get(table) ?? 0) + rows);
  });
  const rows = [...deleted].map(([table, rows]) => ({ table, rows }));
  const document: ShopChangeDocument = {
    shop: key,
    status: 'ok',
    error: null,
    change: 'deleted',
    rows: Object.fromEntries(deleted),
    records: null,
  };
  printResult(context, [document], `${rowsText(rows, context.io.outColumns())}Shop ${key} is deleted.\n`);
  if (isConfigured) {
    note(context, 'It is still configured: remove it from the settings, or the next sync loads it anew.\n');
  }
  return EXIT.done;
}

function rowsText(counted: readonly TableRows[], columns: number | undefined): string {
  return table([['table', 'rows'], ...counted.map(({ table, rows }) => [table, grouped(rows)])], columns);
}
