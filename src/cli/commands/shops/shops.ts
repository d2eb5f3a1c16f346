import { grouped } from '../../../amount-text.ts';
import { type ListedShop, listShopsWithOrders } from '../../../warehouse/directory/shop-life.ts';
import { toIso } from '../../../warehouse/db/instant.ts';
import type { ShopsDocument } from '../../documents/shops.ts';
import { openWarehouse, readConfig } from '../../open.ts';
import { type CliContext, printResult } from '../../output/io.ts';
import { EXIT, type ExitCode } from '../../output/exit-codes.ts';
import { table } from '../../output/table.ts';
import { NO_SHOP_YET, readConfiguredKeys } from '../../stored-shops.ts';

/** `shops`: the shops that the warehouse holds, configured or not. Uses the database only. */
export async function shopsCommand(context: CliContext): Promise<ExitCode> {
  const configured = readConfiguredKeys(context);
  await using warehouse = await openWarehouse(context, readConfig(context));
  const listed = await listShopsWithOrders(warehouse.db);
  const shops: readonly ShopsDocument[] = listed.map((shop) => ({
    ...shop,
    retired_at: toIso(shop.retired_at),
    deletion_started_at: toIso(shop.deletion_started_at),
    is_configured: configured.includes(shop.shop),
  }));
  const heading = ['shop', 'address', 'time zone', 'orders', 'configured', 'state'];
  const rows = shops.map((shop) => [
    shop.shop,
    shop.base_url,
    shop.timezone,
    grouped(shop.orders),
    shop.is_configured ? 'yes' : 'no',
    stateText(shop),
  ]);
  const text = table([heading, ...rows], context.io.outColumns());
  printResult(context, shops, shops.length === 0 ? NO_SHOP_YET : text);
  return EXIT.done;
}

function stateText({ retired_at: retired, deletion_started_at: deletion }: ListedShop): string {
  const day = (instant: string) => instant.slice(0, '2026-01-31'.length);
  if (deletion !== null) return `being deleted since ${day(deletion)}`;
  return retired === null ? 'synced' : `retired since ${day(retired)}`;
}
