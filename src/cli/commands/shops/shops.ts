import { nextStep } from '../../../model/next-step.ts';
import { grouped } from '../../../model/amount-text.ts';
import type { Config } from '../../../config/load-config.ts';
import * as types from '../../../config/setting-types.ts';
import { UsageError } from '../../../model/errors.ts';
import { changeZone } from '../../../sync/shops/change-zone.ts';
import { deleteShop } from '../../../sync/shops/delete-shop.ts';
import type { Db } from '../../../warehouse/db/database.ts';
import { countShopRows, type TableRows } from '../../../warehouse/directory/delete-shop.ts';
import type { StoredShop } from '../../../warehouse/directory/registered-shops.ts';
import {
  type ListedShop,
  listShopsWithOrders,
  pauseShop,
  resumeShop,
} from '../../../warehouse/directory/shop-life.ts';
import { openWarehouse, readConfig } from '../../open.ts';
import { type Given, readAs } from '../../options.ts';
import { type CliContext, EXIT, type ExitCode, note } from '../../output/io.ts';
import { withProgress } from '../../output/progress.ts';
import { table } from '../../output/table.ts';
import { findStoredShop, NO_SHOP_YET, readConfiguredKeys, storedRun } from '../../stored-shops.ts';
import { replayLine } from '../../output/describe-replay.ts';

/** `shops`: the shops that the warehouse holds, configured or not. Uses the database only. */
export async function shopsCommand(context: CliContext) {
  const configured = readConfiguredKeys(context);
  await using warehouse = await openWarehouse(context, readConfig(context));
  const listed = await listShopsWithOrders(warehouse.db);
  const heading = ['shop', 'address', 'time zone', 'orders', 'configured', 'state'];
  const rows = listed.map((shop) => [
    shop.shop,
    shop.base_url,
    shop.timezone,
    grouped(shop.orders),
    configured.includes(shop.shop) ? 'yes' : 'no',
    stateText(shop),
  ]);
  const text = table([heading, ...rows], context.io.outColumns());
  context.io.out(listed.length === 0 ? NO_SHOP_YET : text);
}

function stateText(shop: ListedShop): string {
  const { paused_at: paused, deletion_started_at: deletion } = shop;
  const day = (instant: string) => instant.slice(0, '2026-01-31'.length);
  if (deletion !== null) return `being deleted since ${day(deletion)}`;
  return paused === null ? 'synced' : `paused since ${day(paused)}`;
}

async function changeShop(
  context: CliContext,
  key: string,
  change: (
    db: Db,
    shop: StoredShop,
    config: Config,
  ) => Promise<{ readonly text: string; readonly status?: 'ok' | 'partial' }>,
): Promise<ExitCode> {
  const config = readConfig(context);
  await using warehouse = await openWarehouse(context, config);
  const { text, status = 'ok' } = await change(warehouse.db, await findStoredShop(warehouse.db, key), config);
  context.io.out(text);
  return status === 'ok' ? EXIT.done : EXIT.partial;
}

/** `shops pause`: ends all work on a shop until it is resumed. */
export async function pauseCommand(context: CliContext, key: string) {
  return changeShop(context, key, async (db, { shopId }) => {
    await pauseShop(db, shopId);
    const text =
      `Shop ${key} is not synced, and raises no alert, until ${nextStep('resume shop', { shop: key })}. ` +
      `Its orders stay in the views. To delete all of it: ${nextStep('preview deletion', { shop: key })}.\n`;
    return { text };
  });
}

/** `shops resume`: lets a paused shop be synced again. */
export async function resumeCommand(context: CliContext, key: string) {
  return changeShop(context, key, async (db, shop) => {
    if (shop.deletionStartedAt !== undefined) {
      throw new UsageError(
        `the deletion of shop ${key} has begun and cannot be undone: ${nextStep('finish deletion', { shop: key })} finishes it`,
      );
    }
    await resumeShop(db, shop.shopId);
    return { text: `Shop ${key} is synced again wherever it is configured; the next sync catches up.\n` };
  });
}

/** `shops set-timezone`: changes the zone of a shop's times. Uses the database only. */
export async function setTimezoneCommand(context: CliContext, key: string, given: string) {
  const timezone = readAs(types.zone, given);
  return changeShop(context, key, async (db, stored, config) => {
    if (stored.timezone === timezone) throw new UsageError(`${timezone} is the zone of shop ${key} already`);
    const run = storedRun(context, config, db, { ...stored, timezone });
    const { records, status } = await withProgress(context, run.logger, key, replayLine, (watch) =>
      changeZone(run, stored, watch),
    );
    const text =
      `The times of shop ${key} are in ${timezone} now, not in ${stored.timezone}: ${grouped(records)} records were read ` +
      `again. Its days stay as they are. Set SHOP_TIMEZONE to ${timezone} too.\n`;
    return { status, text };
  });
}

/** `shops delete`: deletes a shop with all its rows, or says what that would delete. */
export async function deleteCommand(context: CliContext, key: string, options: Given<never, 'yes'>) {
  const isConfigured = readConfiguredKeys(context).includes(key);
  const columns = context.io.outColumns();
  const code = await changeShop(context, key, async (db, shop) => {
    if (options.yes !== true) {
      const rows = await countShopRows(db, shop.shopId);
      context.io.out(rowsText(rows, columns));
      throw new UsageError(
        `These rows of shop ${key} would be deleted, and nothing brings back what the shop itself has deleted since. Add --yes ` +
          `to delete them, or keep them with ${nextStep('pause shop', { shop: key })}`,
      );
    }
    const deleted = new Map<string, number>();
    await deleteShop({ db, signal: context.signal }, shop, ({ table, rows }) => {
      deleted.set(table, (deleted.get(table) ?? 0) + rows);
    });
    const rows = [...deleted].map(([table, rows]) => ({ table, rows }));
    return { text: `${rowsText(rows, columns)}Shop ${key} is deleted.\n` };
  });
  if (isConfigured) {
    note(context, 'It is still configured: remove it from the settings, or the next sync loads it anew.\n');
  }
  return code;
}

function rowsText(counted: readonly TableRows[], columns: number | undefined): string {
  return table([['table', 'rows'], ...counted.map(({ table, rows }) => [table, grouped(rows)])], columns);
}
