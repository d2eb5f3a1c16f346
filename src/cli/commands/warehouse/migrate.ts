import { setTimeout as sleep } from 'node:timers/promises';

import { UsageError } from '../../../errors.ts';
import { type CliContext, EXIT, type ExitCode, note, printResult } from '../../output/io.ts';
import { openWarehouse, readConfig } from '../../open.ts';
import { openDatabase } from '../../../warehouse/db/database.ts';
import { checkReadiness } from '../../../warehouse/db/readiness.ts';
import { grantToWorker, type MigrationResult } from '../../../warehouse/db/run-migrations.ts';
import { installQueue } from '../../../worker/queue.ts';

const WAIT_MS = 2_000;

/** `migrate`: applies pending migrations and changed views, and prepares the queue and its users. */
export async function migrateCommand(
  context: CliContext,
  { wait }: { readonly wait?: boolean },
): Promise<ExitCode> {
  if (wait === true) return waitForMigrations(context);
  await using warehouse = await openWarehouse(context, readConfig(context));
  const { migrated } = warehouse;
  await installQueue(warehouse);
  await grantToWorker(warehouse);
  const applied = migrated.migrations.length + migrated.views.length;
  const text = applied === 0 ? 'The database is up to date.' : resultText(migrated);
  const document = { status: 'ok', error: null, applied, ...migrated };
  printResult(context, [document], `${text}\n`);
  return EXIT.done;
}

/** Applies nothing: for a worker that starts beside whoever migrates. */
async function waitForMigrations(context: CliContext): Promise<ExitCode> {
  const { databaseUrl } = readConfig(context);
  if (databaseUrl === undefined)
    throw new UsageError('--wait needs DATABASE_URL: nobody else migrates an embedded database');
  const { signal } = context;
  await using database = await openDatabase(databaseUrl, 1);
  for (let told: string | undefined; ;) {
    const reason = await checkReadiness(database.db);
    if (reason === undefined) break;
    if (reason !== told) note(context, `Waiting: ${reason}\n`);
    told = reason;
    await sleep(WAIT_MS, undefined, { signal });
  }
  printResult(
    context,
    [{ status: 'ok', error: null, applied: 0, migrations: [], views: [] }],
    'The database is up to date.\n',
  );
  return EXIT.done;
}

function resultText({ migrations, views }: MigrationResult): string {
  const lines = migrations.map((name) => `Applied ${name}.`);
  if (views.length > 0)
    lines.push(views.length === 1 ? `Applied ${views[0]}.` : `Applied ${views.length} views.`);
  return lines.join('\n');
}
