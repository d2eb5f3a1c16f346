import { replayShop } from '../../../sync/replay/replay-shop.ts';
import { replayLine, replayText } from '../../output/describe-replay.ts';
import { type CliContext, EXIT, type ExitCode, printResult } from '../../output/io.ts';
import { openWarehouse, readConfig } from '../../open.ts';
import type { Given } from '../../options.ts';
import { withProgress } from '../../output/progress.ts';
import { findStoredShops, storedRun } from '../../stored-shops.ts';

/** `replay`: normalizes the stored payloads of each shop again. Uses the database only. */
export async function replayCommand(context: CliContext, options: Given<'shop', 'rekey'>) {
  const config = readConfig(context);
  await using warehouse = await openWarehouse(context, config);
  const { db } = warehouse;
  const stored = await findStoredShops(db, options.shop);
  const shops = options.shop === undefined ? stored.filter((shop) => !shop.deletionStartedAt) : stored;
  if (shops.length === 0)
    printResult(context, [], 'The warehouse has no shop yet: there is nothing to replay.\n');
  let code: ExitCode = EXIT.done;
  for (const shop of shops) {
    const { shopId, shopKey } = shop;
    const run = storedRun(context, config, db, shop);
    const asked = { rekey: options.rekey === true };
    const result = await withProgress(context, run.logger, shopKey, replayLine, (watch) =>
      replayShop(run, shopId, asked, watch),
    );
    printResult(context, [result], replayText(result));
    if (result.status !== 'ok') code = EXIT.partial;
  }
  return code;
}
