import { nextStep } from '../../../next-step.ts';
import { grouped } from '../../../amount-text.ts';
import type { Config } from '../../../config/load-config.ts';
import * as types from '../../../config/setting-types.ts';
import { TerminalError, UsageError } from '../../../errors.ts';
import { changeZone } from '../../../sync/shops/change-zone.ts';
import { deleteShop } from '../../../sync/shops/delete-shop.ts';
import type { Db } from '../../../warehouse/db/database.ts';
import { toIso } from '../../../warehouse/db/instant.ts';
import { countShopRows, type TableRows } from '../../../warehouse/directory/delete-shop.ts';
import type { StoredShop } from '../../../warehouse/directory/registered-shops.ts';
import {
  type ListedShop,
  listShopsWithOrders,
  pauseShop,
  renameShop,
  restoreShop,
  resumeShop,
  retireShop,
} from '../../../warehouse/directory/shop-life.ts';
import { openWarehouse, readConfig } from '../../open.ts';
import { type Given, readAs } from '../../options.ts';
import { type CliContext, EXIT, type ExitCode, note, printResult } from '../../output/io.ts';
import { withProgress } from '../../output/progress.ts';
import { table } from '../../output/table.ts';
import { findStoredShop, NO_SHOP_YET, readConfiguredKeys, storedRun } from '../../stored-shops.ts';
import { replayLine } from '../../output/describe-replay.ts';

/** `shops`: the shops that the warehouse holds, configured or not. Uses the database only. */
export async function shopsCommand(context: CliContext) {
  const configured = readConfiguredKeys(context);
  await using warehouse = await openWarehouse(context, readConfig(context));
  const listed = await listShopsWithOrders(warehouse.db);
  const shops = listed.map((shop) => ({
    ...shop,
    retired_at: toIso(shop.retired_at),
    paused_at: toIso(shop.paused_at),
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
}

function stateText(shop: ListedShop): string {
  const { retired_at: retired, paused_at: paused, deletion_started_at: deletion } = shop;
  const day = (instant: string) => instant.slice(0, '2026-01-31'.length);
  if (deletion !== null) return `being deleted since ${day(deletion)}`;
  if (retired !== null) return `retired since ${day(retired)}`;
  return paused === null ? 'synced' : `paused since ${day(paused)}`;
}

/** What was done to a shop, and a text for people. */
type Changed = {
  readonly change: 'retired' | 'restored' | 'paused' | 'resumed' | 'renamed' | 'timezone set' | 'deleted';
  /** Its new key, where that changed. */
  readonly shop?: string;
  /** What was deleted, by table. */
  readonly rows?: Readonly<Record<string, number>>;
  /** What was read again. */
  readonly records?: number;
  readonly status?: 'ok' | 'partial';
  readonly text: string;
};
type Change = (db: Db, shop: StoredShop, config: Config) => Promise<Changed>;

async function changeShop(context: CliContext, key: string, change: Change): Promise<ExitCode> {
  const config = readConfig(context);
  await using warehouse = await openWarehouse(context, config);
  const { text, ...made } = await change(warehouse.db, await findStoredShop(warehouse.db, key), config);
  const document = { shop: key, status: 'ok', error: null, rows: null, records: null, ...made };
  printResult(context, [document], text);
  return document.status === 'ok' ? EXIT.done : EXIT.partial;
}

/** A command that marks a shop. @param mark throws TerminalError where the shop is not in a state for that */
function marking(
  change: Changed['change'],
  mark: (db: Db, shopId: number) => Promise<void>,
  describe: (key: string) => string,
) {
  return async (context: CliContext, key: string) =>
    changeShop(context, key, async (db, { shopId }) => {
      await refusing(key, mark(db, shopId));
      return { change, text: describe(key) };
    });
}

async function refusing(key: string, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    throw error instanceof TerminalError ? new UsageError(`shop ${key}: ${error.message}`) : error;
  }
}

const syncedAgainText = (key: string) =>
  `Shop ${key} is synced again wherever it is configured; the next sync catches up.\n`;

export const retireCommand = marking(
  'retired',
  retireShop,
  (key) =>
    `Shop ${key} is not synced any more. Its orders stay in the views; status, metrics and alerts leave it out.\n` +
    `To sync it again: ${nextStep('restore shop', { shop: key })}. To delete all of it: ${nextStep('preview deletion', { shop: key })}.\n`,
);
export const restoreCommand = marking('restored', restoreShop, syncedAgainText);
export const pauseCommand = marking(
  'paused',
  pauseShop,
  (key) =>
    `Shop ${key} is not synced, and raises no alert, until ${nextStep('resume shop', { shop: key })}. Its orders stay in the views.\n`,
);
export const resumeCommand = marking('resumed', resumeShop, syncedAgainText);

/** `shops rename`: gives a shop another key. */
export async function renameCommand(context: CliContext, key: string, given: string) {
  const shop = readAs(types.shopKey, given);
  if (shop === key) throw new UsageError(`${key} is its key already`);
  return changeShop(context, key, async (db, { shopId }) => {
    await refusing(key, renameShop(db, shopId, key, shop));
    const text = `Shop ${key} is now ${shop}. Set SHOP_KEY, or its key in SHOPS_FILE, to that: ${key} is refused from now on.\n`;
    return { change: 'renamed', shop, text };
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
    return { change: 'timezone set', records, status, text };
  });
}

/** `shops delete`: deletes a shop with all its rows, or says what that would delete. */
export async function deleteCommand(context: CliContext, key: string, options: Given<never, 'yes'>) {
  const isConfigured = readConfiguredKeys(context).includes(key);
  const columns = context.io.outColumns();
  const code = await changeShop(context, key, async (db, shop) => {
    if (options.yes !== true) {
      const rows = await countShopRows(db, shop.shopId);
      if (!context.flags.json) context.io.out(rowsText(rows, columns));
      throw new UsageError(
        `These rows of shop ${key} would be deleted, and nothing brings back what the shop itself has deleted since. Add --yes ` +
          `to delete them, or keep them with ${nextStep('retire shop', { shop: key })}`,
      );
    }
    const deleted = new Map<string, number>();
    await deleteShop({ db, signal: context.signal }, shop, ({ table, rows }) => {
      deleted.set(table, (deleted.get(table) ?? 0) + rows);
    });
    const rows = [...deleted].map(([table, rows]) => ({ table, rows }));
    const text = `${rowsText(rows, columns)}Shop ${key} is deleted.\n`;
    return { change: 'deleted', rows: Object.fromEntries(deleted), text };
  });
  if (isConfigured) {
    note(context, 'It is still configured: remove it from the settings, or the next sync loads it anew.\n');
  }
  return code;
}

function rowsText(counted: readonly TableRows[], columns: number | undefined): string {
  return table([['table', 'rows'], ...counted.map(({ table, rows }) => [table, grouped(rows)])], columns);
}

/** `shop-keys`: the keys of the configured shops, one per line. Reads the settings only. */
export function shopKeysCommand(context: CliContext): void {
  for (const key of readConfiguredKeys(context)) context.io.out(`${key}\n`);
}
