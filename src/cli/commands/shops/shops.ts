import { readAs, type CommandOptions } from '../../options.ts';
import { grouped } from '../../../model/amount-text.ts';
import * as types from '../../../config/setting-types.ts';
import { UsageError } from '../../../model/errors.ts';
import { nextStep } from '../../../model/next-step.ts';
import { changeZone } from '../../../sync/shops/change-zone.ts';
import { deleteShop } from '../../../sync/shops/delete-shop.ts';
import { countShopRows } from '../../../warehouse/directory/delete-shop.ts';
import {
  type ListedShop,
  listShopsWithOrders,
  pauseShop,
  resumeShop,
} from '../../../warehouse/directory/shop-life.ts';
import { type CliContext, EXIT, note } from '../../output/io.ts';
import { print, rowsOf } from '../../output/layout.ts';
import { replayProgress, withProgress } from '../../output/progress.ts';
import { NO_SHOP_YET, readConfiguredShops, withStoredShop, withStoredShops } from '../../shops.ts';

/** `shops`: the shops that the warehouse holds, configured or not. Uses the database only. */
export async function shopsCommand(context: CliContext) {
  const configured = readConfiguredShops(context).map(({ shopKey }) => shopKey);
  const listed = await withStoredShops(context, undefined, ({ db }) => listShopsWithOrders(db));
  const rows = listed.map((listedShop) => {
    const { shop, base_url: address, timezone: time_zone, orders } = listedShop;
    const state = stateText(listedShop);
    return { shop, address, time_zone, orders, configured: configured.includes(shop), state };
  });
  print(context, [rows.length === 0 ? NO_SHOP_YET : rowsOf(rows)]);
}

function stateText({ paused_at: paused, deletion_started_at: deletion, is_read }: ListedShop): string {
  const day = (instant: string) => instant.slice(0, '2026-01-31'.length);
  if (deletion !== null) return `being deleted since ${day(deletion)}`;
  if (paused !== null) return `paused since ${day(paused)}`;
  return is_read ? 'synced' : 'not read yet';
}

/** `shops pause`: ends all work on a shop until it is resumed. */
export async function pauseCommand(context: CliContext, key: string) {
  await withStoredShop(context, key, ({ shopId }, { db }) => pauseShop(db, shopId));
  const [resume, remove] = [
    nextStep('resume shop', { shop: key }),
    nextStep('preview deletion', { shop: key }),
  ];
  print(context, [
    `Shop ${key} is not synced, and raises no alert, until ${resume}. ` +
      `Its orders stay in the views. To delete all of it: ${remove}.`,
  ]);
}

/** `shops resume`: lets a paused shop be synced again. */
export async function resumeCommand(context: CliContext, key: string) {
  await withStoredShop(context, key, async ({ shopId, deletionStartedAt }, { db }) => {
    if (deletionStartedAt !== undefined) {
      const finish = nextStep('finish deletion', { shop: key });
      throw new UsageError(
        `the deletion of shop ${key} has begun and cannot be undone: ${finish} finishes it`,
      );
    }
    await resumeShop(db, shopId);
  });
  print(context, [`Shop ${key} is synced again wherever it is configured; the next sync catches up.`]);
}

/** `shops set-timezone`: changes the zone of a shop's times. Uses the database only. */
export async function setTimezoneCommand(context: CliContext, key: string, given: string) {
  const timezone = readAs(types.zone, given);
  return withStoredShop(context, key, async (stored, { runOf }) => {
    if (stored.timezone === timezone) throw new UsageError(`${timezone} is the zone of shop ${key} already`);
    const run = runOf({ ...stored, timezone });
    const { records, status } = await withProgress(context, run, replayProgress, (watch) =>
      changeZone(run, stored, watch),
    );
    print(context, [
      `The times of shop ${key} are in ${timezone} now, not in ${stored.timezone}: ${grouped(records)} records were read ` +
        `again. Its days stay as they are. Set its time zone to ${timezone} in the settings, too.`,
    ]);
    return status === 'ok' ? EXIT.done : EXIT.partial;
  });
}

/** `shops delete`: deletes a shop with all its rows, or says what that would delete. */
export async function deleteCommand(context: CliContext, key: string, options: CommandOptions<never, 'yes'>) {
  const isConfigured = readConfiguredShops(context).some(({ shopKey }) => shopKey === key);
  return withStoredShop(context, key, async (shop, { db }) => {
    if (options.yes !== true) {
      print(context, [rowsOf(await countShopRows(db, shop.shopId), ['table', 'rows'])]);
      const next = { shop: key };
      context.io.err(
        `Nothing was deleted. ${nextStep('finish deletion', next)} deletes these rows, and nothing brings back those that the ` +
          `shop itself has deleted since; ${nextStep('pause shop', next)} keeps them.\n`,
      );
      return EXIT.failed;
    }
    const deleted = new Map<string, number>();
    await deleteShop({ db, signal: context.signal }, shop, ({ table, rows }) => {
      deleted.set(table, (deleted.get(table) ?? 0) + rows);
    });
    const rows = [...deleted].map(([table, rows]) => ({ table, rows }));
    print(context, [rowsOf(rows, ['table', 'rows']), `Shop ${key} is deleted.`]);
    if (isConfigured) {
      note(context, 'It is still configured: remove it from the settings, or the next sync loads it anew.\n');
    }
    return EXIT.done;
  });
}
