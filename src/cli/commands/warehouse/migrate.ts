import { setTimeout as sleep } from 'node:timers/promises';

import { counted } from '../../../model/amount-text.ts';
import { UsageError } from '../../../model/errors.ts';
import { type CliContext, note } from '../../output/io.ts';
import { print } from '../../output/layout.ts';
import { openWarehouse, readConfig } from '../../open.ts';
import type { CommandOptions } from '../../options.ts';
import { openDatabase } from '../../../warehouse/db/database.ts';
import { checkReadiness } from '../../../warehouse/db/migrations.ts';
import { FUNCTIONS, isRepeatable, VIEWS } from '../../../warehouse/db/migration-files.ts';

const WAIT_MS = 2_000;

/** `migrate`: applies pending migrations and changed views, and mends views, roles and grants. */
export async function migrateCommand(context: CliContext, { wait }: CommandOptions<never, 'wait'>) {
  if (wait === true) {
    await waitForMigrations(context);
    return printMigrated(context, []);
  }
  await using warehouse = await openWarehouse(context);
  return printMigrated(context, warehouse.migrated);
}

/** Applies nothing: for a worker that starts while somebody else migrates. */
async function waitForMigrations(context: CliContext): Promise<void> {
  const { databaseUrl } = readConfig(context);
  if (databaseUrl === undefined)
    throw new UsageError('--wait needs DATABASE_URL: nobody else migrates an embedded database');
  const { signal } = context;
  await using database = await openDatabase(databaseUrl, 1);
  for (let last: string | undefined; ;) {
    const reason = await checkReadiness(database.db);
    if (reason === undefined) return;
    if (reason !== last) note(context, `Waiting: ${reason}\n`);
    last = reason;
    await sleep(WAIT_MS, undefined, { signal });
  }
}

function printMigrated(context: CliContext, applied: readonly string[]): void {
  const migrations = applied.filter((name) => !isRepeatable(name));
  const [functions, views] = [FUNCTIONS, VIEWS].map((kind) =>
    applied.filter((name) => name.startsWith(kind)),
  );
  const several = (names: readonly string[] = [], noun: string) =>
    names.length > 1 ? [counted(names.length, noun)] : names;
  const named = [...migrations, ...several(functions, 'function'), ...several(views, 'view')];
  const lines = named.map((name) => `Applied ${name}.`);
  print(context, applied.length === 0 ? ['The database is up to date.'] : lines, [
    { status: 'ok', error: null, applied: applied.length, migrations, functions, views },
  ]);
}
