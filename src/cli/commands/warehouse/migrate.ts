import { type CliContext, EXIT, type ExitCode, printResult } from '../../output/io.ts';
import { openWarehouse, readConfig } from '../../open.ts';
import { grantToWorker, type MigrationResult } from '../../../warehouse/db/run-migrations.ts';
import { installQueue } from '../../../worker/queue.ts';

/** `migrate`: applies pending migrations and changed views, and prepares the queue and its users. */
export async function migrateCommand(context: CliContext): Promise<ExitCode> {
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

function resultText({ migrations, views }: MigrationResult): string {
  const lines = migrations.map((name) => `Applied ${name}.`);
  if (views.length > 0)
    lines.push(views.length === 1 ? `Applied ${views[0]}.` : `Applied ${views.length} views.`);
  return lines.join('\n');
}
