/**
 * What `drizzle/` says a database must have: numbered migrations, each applied once and never changed afterwards, and
 * functions and views, each applied again whenever its file changes.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { PACKAGE_ROOT } from '../../model/program.ts';

/** How the names of files begin that are applied again whenever they change. */
export const [FUNCTIONS, VIEWS] = ['functions/', 'views/'] as const;

export const isRepeatable = (name: string) => name.startsWith(FUNCTIONS) || name.startsWith(VIEWS);

export type MigrationFile = {
  /** By which `ops.migrations` knows it. Not the number of a repeatable one: only the order of the files depends on that. */
  readonly name: string;
  readonly sql: string;
  readonly hash: string;
};

/**
 * Reads the files below `drizzle`, in the order in which they are applied: migrations, then functions, the triggers last, then views,
 * none of which reads a later one.
 */
export function readMigrationFiles(folder = join(PACKAGE_ROOT, 'drizzle')): readonly MigrationFile[] {
  const functions = readSql(folder, FUNCTIONS);
  // What columns mean that a view does not comment on itself.
  const meanings = functions.find(({ name }) => name === `${FUNCTIONS}describe_columns`)?.sql ?? '';
  return [
    ...readSql(folder, '').map((file) => ({ ...file, hash: hashOf(file.sql) })),
    ...functions.map((file) => ({ ...file, hash: hashOf(file.sql) })),
    ...readSql(folder, VIEWS).map((file) => ({ ...file, hash: hashOf(file.sql + hashOf(meanings)) })),
  ];
}

function readSql(folder: string, kind: '' | typeof FUNCTIONS | typeof VIEWS) {
  const files = readdirSync(join(folder, kind)).filter((file) => file.endsWith('.sql'));
  return files.toSorted().map((file) => {
    const name = file.slice(0, -'.sql'.length);
    return {
      name: kind === '' ? name : kind + name.replace(/^\d+_/, ''),
      // As it is in the repository, whatever a checkout did to its line ends.
      sql: readFileSync(join(folder, kind, file), 'utf8').replaceAll('\r\n', '\n'),
    };
  });
}

const hashOf = (sql: string) => createHash('sha256').update(sql).digest('hex');
