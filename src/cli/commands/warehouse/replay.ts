import { replayShop } from '../../../sync/replay/replay-shop.ts';
import type { Given } from '../../options.ts';
import { replayText } from '../../output/describe-sweep.ts';
import { type CliContext, EXIT, type ExitCode } from '../../output/io.ts';
import { print } from '../../output/layout.ts';
import { replayProgress, withProgress } from '../../output/progress.ts';
import { withStoredShops } from '../../shops.ts';

/** `replay`: normalizes the stored payloads of each shop again. Uses the database only. */
export async function replayCommand(
  context: CliContext,
  { shop: wanted, rekey = false }: Given<'shop', 'rekey'>,
) {
  return withStoredShops(context, wanted, async ({ shops: stored, runOf }) => {
    const shops = stored.filter((shop) => wanted !== undefined || !shop.deletionStartedAt);
    if (shops.length === 0) print(context, ['The warehouse has no shop yet: there is nothing to replay.']);
    let code: ExitCode = EXIT.done;
    for (const shop of shops) {
      const run = runOf(shop);
      const result = await withProgress(context, run.logger, shop.shopKey, replayProgress, (watch) =>
        replayShop(run, shop.shopId, { rekey }, watch),
      );
      print(context, replayText(result), [result]);
      if (result.status !== 'ok') code = EXIT.partial;
    }
    return code;
  });
}
