/**
 * What `drizzle/` says a database must have: numbered migrations, each applied once and never changed afterwards, and views,
 * each applied again whenever its file changes.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { PACKAGE_ROOT } from '../../paths.ts';

/** How the names of views begin. */
export const VIEWS = 'views/';

export type MigrationFile = {
  /** By which `ops.migrations` knows it. Not the number of a view: only the order of the files depends on that. */
  readonly name: string;
  readonly sql: string;
  readonly hash: string;
  /** Oldest version of the program that works on a database with it; undefined: none but those that know it. */
  readonly worksWith?: string | undefined;
};

export type ViewFile = MigrationFile & {
  /** The view that the file creates, with its schema. */
  readonly view: string;
};

export type MigrationFiles = {
  readonly migrations: readonly MigrationFile[];
  /** After the migrations, in this order: no view reads a later one. */
  readonly views: readonly ViewFile[];
};

/** Reads `drizzle/*.sql` and `drizzle/views/*.sql`, in the order in which they are applied. */
export function readMigrationFiles(folder = join(PACKAGE_ROOT, 'drizzle')): MigrationFiles {
  return {
    migrations: readSql(folder).map(({ file, sql }) => toMigration(file, sql)),
    views: readSql(join(folder, 'views')).map(({ file, sql }) => ({
      ...toMigration(`${VIEWS}${file.replace(/^\d+_/, '')}`, sql),
      view: /^CREATE OR REPLACE VIEW (\S+)/m.exec(sql)?.[1] ?? file,
    })),
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
  const worksWith = /^-- Works with order-sync (\S+) and later\.$/m.exec(sql)?.[1];
  return { name, sql, hash: createHash('sha256').update(sql).digest('hex'), worksWith };
}
