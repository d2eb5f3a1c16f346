import { sql } from 'drizzle-orm';

import { DatabaseMismatchError } from '../../errors.ts';
import { VERSION } from '../../version.ts';
import type { Db } from './database.ts';
import { databaseSentence } from './database-error.ts';
import { dueMigrations, readApplied } from './applied-migrations.ts';
import { readMigrationFiles } from './migration-files.ts';
import { nextStep } from '../../next-step.ts';

/** @returns a sentence saying why the warehouse is not usable, or undefined if it is */
export async function checkReadiness(db: Db): Promise<string | undefined> {
  try {
    const applied = await readApplied((text) => db.execute(sql.raw(text)));
    const { migrations, views } = dueMigrations(applied, readMigrationFiles(), VERSION);
    const [next, ...others] = [...migrations, ...views];
    if (next === undefined) return undefined;
    const rest = others.length === 0 ? 'is' : `and ${others.length} more are`;
    return `${next.name} ${rest} not applied; run ${nextStep('apply migrations')}`;
  } catch (error) {
    if (error instanceof DatabaseMismatchError) return error.message;
    return `the database: ${databaseSentence(error)}`;
  }
}
