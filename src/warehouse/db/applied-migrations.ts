/** Which migrations and views a database has, and what that means for this version of the program. */
import { sql } from 'drizzle-orm';

import { DatabaseMismatchError } from '../../model/errors.ts';
import { isRepeatable, type MigrationFile, readMigrationFiles } from './migration-files.ts';
import { nextStep } from '../../model/next-step.ts';
import { VERSION } from '../../model/program.ts';
import type { Db, Tx } from './database.ts';
import { databaseSentence, codeOf } from './database-error.ts';

type AppliedRow = {
  readonly name: string;
  readonly hash: string;
  /** Version of the program that applied it. */
  readonly version: string;
};

/** The rows of `ops.migrations`, by name. */
export type AppliedMigrations = ReadonlyMap<string, AppliedRow>;

const UNDEFINED_COLUMN = '42703';

/**
 * Reads `ops.migrations`. It is looked for first, since the server logs a statement that names a missing table as an error.
 *
 * @returns undefined where there is none
 * @throws DatabaseMismatchError when the table of that name is another program's
 */
export async function readApplied(
  query: (text: string) => Promise<{ readonly rows: readonly AppliedRow[] }>,
): Promise<AppliedMigrations | undefined> {
  const tables = await query("SELECT FROM pg_class WHERE oid = to_regclass('ops.migrations')");
  if (tables.rows.length === 0) return undefined;
  try {
    const { rows } = await query('SELECT name, hash, version FROM ops.migrations');
    return new Map(rows.map((row) => [row.name, row]));
  } catch (error) {
    if (codeOf(error) === UNDEFINED_COLUMN) throw foreignTable();
    throw error;
  }
}

/**
 * What the database lacks, in the order in which it is applied.
 *
 * @param applied is undefined where nothing has been applied yet
 * @param version of this program
 * @throws DatabaseMismatchError when the database is too new for this program, or has other migrations of the same names
 */
export function dueMigrations(
  applied: AppliedMigrations | undefined,
  files: readonly MigrationFile[],
  version: string,
): readonly MigrationFile[] {
  if (applied === undefined) return files;
  const [baseline] = files;
  if (baseline !== undefined && !applied.has(baseline.name)) throw foreignTable();
  const hashes = new Map(files.map(({ name, hash }) => [name, hash]));
  for (const { name, hash, version: by } of applied.values()) {
    const isOther = hashes.get(name) !== hash;
    // A function or view that this version lacks may have been removed since.
    const isNewer = isRepeatable(name) ? isOther && compareVersions(by, version) > 0 : !hashes.has(name);
    if (isNewer) {
      throw new DatabaseMismatchError(
        `The database is newer than this order-sync ${version}: version ${by} applied ${name}. Update order-sync`,
      );
    }
    if (isOther && !isRepeatable(name)) {
      throw new DatabaseMismatchError(
        `Migration ${name} is not the one that order-sync ${by} applied to this database. ` +
          `Use a released version of order-sync that is not older, or point DATABASE_URL to an empty database and run ${nextStep('load shop')}`,
      );
    }
  }
  return files.filter(({ name, hash }) => applied.get(name)?.hash !== hash);
}

const compareVersions = (one: string, other: string) => one.localeCompare(other, 'en', { numeric: true });

function foreignTable(): DatabaseMismatchError {
  return new DatabaseMismatchError(
    'The table ops.migrations of the database was not made by order-sync. Use another database',
  );
}

/** @returns a sentence saying why the warehouse is not usable, or undefined if it is */
export async function checkReadiness(db: Db | Tx): Promise<string | undefined> {
  try {
    const applied = await readApplied((text) => db.execute(sql.raw(text)));
    const [next, ...others] = dueMigrations(applied, readMigrationFiles(), VERSION);
    if (next === undefined) return undefined;
    const rest = others.length === 0 ? 'is' : `and ${others.length} more are`;
    return `${next.name} ${rest} not applied; run ${nextStep('apply migrations')}`;
  } catch (error) {
    if (error instanceof DatabaseMismatchError) return error.message;
    return `the database: ${databaseSentence(error)}`;
  }
}
