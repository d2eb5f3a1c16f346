/** Fails when the tables in src/warehouse/schema say something that no migration in drizzle/ does yet. */
import { execFileSync } from 'node:child_process';

const status = () => execFileSync('git', ['status', '--porcelain', 'drizzle'], { encoding: 'utf8' });

const before = status();
execFileSync('drizzle-kit', ['generate', '--name', 'drift'], { stdio: ['ignore', 'ignore', 'inherit'] });
if (status() !== before) {
  process.stderr.write(
    'The schema and drizzle/ differ: a migration drizzle/*_drift.sql was generated to show how.\n' +
      'Give it a proper name with `npm run migrations:generate -- --name NAME`, or undo the schema change.\n',
  );
  process.exitCode = 1;
}
