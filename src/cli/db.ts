import { once } from 'node:events';

import { ConfigError } from '../errors.ts';
import { type CliContext, EXIT, type ExitCode } from './io.ts';
import { configOf, openWarehouse } from './open.ts';

/** `db`: keeps the embedded database running until interrupted. */
export async function dbCommand(context: CliContext): Promise<ExitCode> {
  const config = configOf(context);
  if (config.databaseUrl !== undefined) {
    throw new ConfigError([
      'DATABASE_URL is set, so the embedded database is not in use; unset it to run `order-sync db`',
    ]);
  }
  await using warehouse = await openWarehouse(context, config);
  context.io.out(`${warehouse.url}\n`);
  context.io.err('It runs until you press Ctrl-C.\n');
  if (!context.signal.aborted) await once(context.signal, 'abort');
  return EXIT.done;
}
