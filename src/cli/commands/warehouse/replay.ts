import { replayShop } from '../../../sync/replay/replay-shop.ts';
import type { CommandOptions } from '../../options.ts';
import { replayText } from '../../output/describe-sweep.ts';
import { type CliContext, EXIT } from '../../output/io.ts';
import { print } from '../../output/layout.ts';
import { replayProgress, withProgress } from '../../output/progress.ts';
import { forEachStored } from '../../shops.ts';

/** `replay`: normalizes the stored payloads of each shop again. Uses the database only. */
export async function replayCommand(
  context: CliContext,
  { shop: wanted, rekey = false }: CommandOptions<'shop', 'rekey'>,
) {
  return forEachStored(context, wanted, async ({ shopId, ...shop }, { runOf }) => {
    if (wanted === undefined && shop.deletionStartedAt !== undefined) return EXIT.done;
    const run = runOf({ shopId, ...shop });
    const result = await withProgress(context, run, replayProgress, (watch) =>
      replayShop(run, shopId, { rekey }, watch),
    );
    print(context, replayText(result), [result]);
    return result.status === 'ok' ? EXIT.done : EXIT.partial;
  });
}
