/**
 * What `drizzle/` says a database must have: numbered migrations, each applied once and never changed afterwards, and
 * functions and views, each applied again whenever its file changes.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { PACKAGE_ROOT } from '../../model/program.ts';

/** How the names of files begin that are applied again whenever they change. */
const [FUNCTIONS, VIEWS] = ['functions/', 'views/'];
const DESCRIBE_COLUMNS = `${FUNCTIONS}describe_columns`;

export const isRepeatable = (name: string) => name.startsWith(FUNCTIONS) || name.startsWith(VIEWS);

export type MigrationFile = {
  /** By which `ops.migrations` knows it. Not the number of a repeatable one: only the order of the files depends on that. */
  readonly name: string;
  readonly sql: string;
  readonly hash: string;
};

export type MigrationFiles = {
  readonly migrations: readonly MigrationFile[];
  /** After the migrations; the triggers last. */
  readonly functions: readonly MigrationFile[];
  /** After the functions, in this order: no view reads a later one. */
  readonly views: readonly MigrationFile[];
};

/** Reads the files below `drizzle`, in the order in which they are applied. */
export function readMigrationFiles(folder = join(PACKAGE_ROOT, 'drizzle')): MigrationFiles {
  const repeatable = (kind: string) =>
    readSql(join(folder, kind)).map(({ file, sql }) =>
      toMigration(`${kind}${file.replace(/^\d+_/, '')}`, sql),
    );
  const functions = repeatable(FUNCTIONS);
  // What columns mean that a view does not comment on itself.
  const meanings = functions.find(({ name }) => name === DESCRIBE_COLUMNS)?.hash ?? '';
  return {
    migrations: readSql(folder).map(({ file, sql }) => toMigration(file, sql)),
    functions,
    views: repeatable(VIEWS).map((file) => ({ ...file, hash: hashOf(file.sql + meanings) })),
  };
}

function readSql(folder: string) {
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'));
  return files.toSorted().map((file) => ({
    file: file.slice(0, -'.sql'.length),
    // As it is in the repository, whatever a checkout did to its line ends.
    sql: readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n'),
  }));
}

function toMigration(name: string, sql: string): MigrationFile {
  return { name, sql, hash: hashOf(sql) };
}

const hashOf = (sql: string) => createHash('sha256').update(sql).digest('hex');
