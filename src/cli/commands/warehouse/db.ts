import { UsageError } from '../../../errors.ts';
import { type CliContext, note } from '../../output/io.ts';
import { openWarehouse, readConfig, untilInterrupted } from '../../open.ts';

/** `db`: keeps the embedded database running until interrupted. */
export async function dbCommand(context: CliContext) {
  const config = readConfig(context);
  if (config.databaseUrl !== undefined) {
    throw new UsageError(
      'DATABASE_URL is set, so that no embedded database is used; unset it to keep one running',
    );
  }
  await using warehouse = await openWarehouse(context, config);
  context.io.out(`${warehouse.url}\n`);
  note(context, 'Running until you press Ctrl-C.\n');
  await untilInterrupted(context.signal);
}
