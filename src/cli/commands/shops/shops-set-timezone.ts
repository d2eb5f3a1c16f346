import { grouped } from '../../../amount-text.ts';
import * as types from '../../../config/setting-types.ts';
import { UsageError } from '../../../errors.ts';
import { changeZone } from '../../../sync/shops/change-zone.ts';
import { VERSION } from '../../../version.ts';
import type { ShopChangeDocument } from '../../documents/shops.ts';
import { createLogger, openWarehouse, readConfig } from '../../open.ts';
import { type CliContext, printResult } from '../../output/io.ts';
import { EXIT, type ExitCode } from '../../output/exit-codes.ts';
import { showProgressWith } from '../../output/progress.ts';
import { findStoredShop, readPrivacySettings } from '../../stored-shops.ts';
import { replayLine } from '../warehouse/replay.ts';

/** `shops set-timezone`: changes the zone of a shop's times. Uses the database only. */
export async function setTimezoneCommand(context: CliContext, key: string, given: string): Promise<ExitCode> {
  const { data: timezone, error } = types.zone.safeParse(given);
  if (timezone === undefined) throw new UsageError(`${given} ${error?.issues[0]?.message ?? 'is no zone'}`);
  const config = readConfig(context);
  await using warehouse = await openWarehouse(context, config);
  const { db } = warehouse;
  const stored = await findStoredShop(db, key);
  if (stored.timezone === timezone) throw new UsageError(`${timezone} is the zone of shop ${key} already`);
  const logger = createLogger(context, config);
  const shop = { shopKey: key, timezone, ...readPrivacySettings(context, key) };
  const now = () => Temporal.Now.instant();
  const run = { db, shop, logger, now, signal: context.signal, version: VERSION };
  let changed: Awaited<ReturnType<typeof changeZone>>;
  {
    using view = showProgressWith(context, logger, key, replayLine);
    changed = await changeZone(run, stored, (read) => view.watch(read));
  }
  const { records, status } = changed;
  const document: ShopChangeDocument = {
    shop: key,
    status,
    error: null,
    change: 'timezone set',
    rows: null,
    records,
  };
  printResult(
    context,
    [document],
    `The times of shop ${key} are in ${timezone} now, not in ${stored.timezone}: ${grouped(records)} records were read ` +
      `again. Its days stay as they are. Set SHOP_TIMEZONE to ${timezone} too.\n`,
  );
  return status === 'ok' ? EXIT.done : EXIT.partial;
}
