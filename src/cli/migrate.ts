import { type CliContext, EXIT, type ExitCode } from './io.ts';
import { configOf, openWarehouse } from './open.ts';

/** `migrate`: applies the migrations that the database lacks. */
export async function migrateCommand(
  context: CliContext,
  options: { readonly json?: boolean },
): Promise<ExitCode> {
  await using warehouse = await openWarehouse(context, configOf(context));
  const applied = warehouse.migrationsApplied;
  const text = applied === 0 ? 'The database is up to date.' : `${applied} migrations applied.`;
  context.io.out(options.json === true ? `${JSON.stringify({ applied })}\n` : `${text}\n`);
  return EXIT.done;
}
