/** Brings a database to what the files of `drizzle/` say, and tells what it lacks of that. */
import { sql } from 'drizzle-orm';
import type { Client } from 'pg';

import { DatabaseMismatchError, TerminalError } from '../../model/errors.ts';
import { nextStep } from '../../model/next-step.ts';
import { VERSION } from '../../model/program.ts';
import type { Database, Db, Tx } from './database.ts';
import { codeOf, databaseSentence } from './database-error.ts';
import { isRepeatable, type MigrationFile, readMigrationFiles, VIEWS } from './migration-files.ts';
import { TRANSACTION_SETTINGS } from './transactions.ts';

/** `version` of the program that applied it. */
type AppliedRow = { readonly name: string; readonly hash: string; readonly version: string };

/** The rows of `ops.migrations`, by name. */
type AppliedMigrations = ReadonlyMap<string, AppliedRow>;

const UNDEFINED_COLUMN = '42703';

/**
 * Reads `ops.migrations`. It is looked for first, since the server logs a statement that names a missing table as an error.
 *
 * @returns undefined where there is none
 * @throws DatabaseMismatchError when the table of that name is another program's
 */
async function readApplied(
  query: (text: string) => Promise<{ readonly rows: readonly AppliedRow[] }>,
): Promise<AppliedMigrations | undefined> {
  const tables = await query("SELECT FROM pg_class WHERE oid = to_regclass('ops.migrations')");
  if (tables.rows.length === 0) return undefined;
  try {
    const { rows } = await query('SELECT name, hash, version FROM ops.migrations');
    return new Map(rows.map((row) => [row.name, row]));
  } catch (error) {
    throw codeOf(error) === UNDEFINED_COLUMN ? foreignTable() : error;
  }
}

function foreignTable(): DatabaseMismatchError {
  return new DatabaseMismatchError(
    'The table ops.migrations of the database was not made by order-sync. Use another database',
  );
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
    const own = hashes.get(name);
    if (own === hash) continue;
    // A function or view of an older version is replaced, or was removed since.
    if (isRepeatable(name) ? compareVersions(by, version) > 0 : own === undefined) {
      throw new DatabaseMismatchError(
        `The database is newer than this order-sync ${version}: version ${by} applied ${name}. Update order-sync`,
      );
    }
    if (!isRepeatable(name)) {
      throw new DatabaseMismatchError(
        `Migration ${name} is not the one that order-sync ${by} applied to this database. ` +
          `Use a released version of order-sync that is not older, or point DATABASE_URL to an empty database and run ${nextStep('load shop')}`,
      );
    }
  }
  return files.filter(({ name, hash }) => applied.get(name)?.hash !== hash);
}

const compareVersions = (one: string, other: string) => one.localeCompare(other, 'en', { numeric: true });

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

/** Any constant will do; all copies of the program must agree on it. */
const LOCK_KEY = 7_305_114_209;
/** A Citus refuses to change tables that refer to one another in parallel. Without one, nothing reads its setting. */
const BEGIN = `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; ${TRANSACTION_SETTINGS}
  SET LOCAL citus.multi_shard_modify_mode = 'sequential'`;

/**
 * Applies the migrations that the database lacks, and the functions and views that changed or are not there, and grants the roles what
 * they need: all in one transaction, each once, however many processes try.
 *
 * @param options.mends whether a database that lacks no migration is looked at too: somebody may have dropped a view, a role or a grant
 * @param options.onRefused told which statements on roles and grants this user may not run, if any
 * @returns the names of what was applied, in order
 * @throws DatabaseMismatchError when the database is too new for this program or belongs to another;
 *   TerminalError when a file cannot be applied, or not by this user
 */
export async function runMigrations(
  database: Pick<Database, 'connect'>,
  options: {
    readonly mends?: boolean;
    readonly onRefused?: (statements: readonly string[]) => void;
    readonly files?: readonly MigrationFile[];
  } = {},
): Promise<readonly string[]> {
  const { mends = false, onRefused, files = readMigrationFiles() } = options;
  const client = await database.connect();
  const read = () => readApplied((text) => client.query(text));
  try {
    // Anybody who may connect can hold such a lock: it is waited for only where there is something to do.
    const [next] = dueMigrations(await read(), files, VERSION);
    if (next === undefined && !mends) return [];
    const refusal = await findRefusal(client);
    if (refusal !== undefined) {
      if (next === undefined) return [];
      throw new TerminalError(`The database lacks ${next.name}, which ${refusal}`);
    }
    // A pooler has no sessions: settings and lock last no longer than the transaction.
    await client.query(BEGIN);
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK_KEY]);
    const before = await read();
    if (before === undefined) await refuseForeignSchemas(client);
    const applied = await applyDue(client, dueMigrations(before, files, VERSION), files);
    const refused = await client.query<{ statement: string }>('SELECT ops.grant_to_roles() AS statement');
    await client.query('COMMIT');
    if (refused.rows.length > 0) onRefused?.(refused.rows.map(({ statement }) => statement));
    return applied;
  } finally {
    // Ends a transaction that is still open, too.
    await client.end();
  }
}

/** All that the migrations create is in these. */
const SCHEMAS = ['bi', 'bi_pii', 'core', 'ops', 'raw'];

async function refuseForeignSchemas(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT nspname::text AS name FROM pg_namespace WHERE nspname = ANY ($1) ORDER BY 1',
    [SCHEMAS],
  );
  if (rows.length === 0) return;
  throw new DatabaseMismatchError(
    `The database already has schemas that this order-sync did not create: ${rows.map(({ name }) => name).join(', ')}. ` +
      `Give order-sync a database of its own on the same server, such as by CREATE DATABASE order_sync; docs/deployment.md, "Beside other ` +
      'data", says how to read it from here',
  );
}

/** @returns who may apply migrations, if this user may not */
async function findRefusal(client: Client): Promise<string | undefined> {
  const { rows } = await client.query<{ user: string; owner: string | null; may: boolean; db: string }>(
    `SELECT current_user AS user, o.owner::regrole::text AS owner, current_database() AS db,
       coalesce(pg_has_role(o.owner, 'USAGE'), has_database_privilege(current_database(), 'CREATE')) AS may
     FROM (SELECT (SELECT nspowner FROM pg_namespace WHERE nspname = 'ops') AS owner) o`,
  );
  const { user = '', owner = null, may = true, db = '' } = rows[0] ?? {};
  if (may) return undefined;
  const how =
    owner === null
      ? `as the owner of the database, or have ${user} granted CREATE ON DATABASE ${db}`
      : `as ${owner}, who owns the tables`;
  return `the user ${user} may not apply: run ${nextStep('apply migrations')} ${how}`;
}

async function applyDue(
  client: Client,
  due: readonly MigrationFile[],
  files: readonly MigrationFile[],
): Promise<readonly string[]> {
  const isView = ({ name }: MigrationFile) => name.startsWith(VIEWS);
  const first = due.filter((file) => !isView(file));
  for (const file of first) await apply(client, file);
  // New tables on a Citus, which takes them before any view reads them.
  await client.query('SELECT ops.distribute_tables()');
  // A migration drops a view that cannot be replaced, and those that read it: their files create them anew. So may have somebody else.
  const views = files.filter(isView);
  const missing = await client.query<{ view: string }>(
    'SELECT view FROM unnest($1::text[]) AS view WHERE to_regclass(view) IS NULL',
    [views.map(viewOf)],
  );
  const isMissing = (file: MigrationFile) => missing.rows.some(({ view }) => view === viewOf(file));
  const applied = views.filter((file) => due.includes(file) || isMissing(file));
  for (const file of applied) {
    await apply(client, file);
    const own = [...file.sql.matchAll(/^COMMENT ON COLUMN \S+\.(\w+) IS/gm)].map(([, column]) => column);
    const view = viewOf(file);
    if (view.startsWith('bi')) await client.query('SELECT ops.describe_columns($1, $2)', [view, own]);
  }
  const names = (of: readonly MigrationFile[]) => of.map(({ name }) => name);
  // A migration removed what the functions and views were that have no file any more.
  if (first.some(({ name }) => !isRepeatable(name)))
    await client.query('DELETE FROM ops.migrations WHERE name <> ALL ($1)', [names(files)]);
  return names([...first, ...applied]);
}

/** The view that a file creates, with its schema. */
const viewOf = ({ name, sql }: MigrationFile) => /^\s*CREATE OR REPLACE VIEW (\S+)/m.exec(sql)?.[1] ?? name;

/** `CREATE OR REPLACE VIEW` can append columns, and change nothing about the ones that are there. */
const INVALID_TABLE_DEFINITION = '42P16';
const APPEND_ONLY =
  '. A view can gain columns at its end only: write a numbered migration that drops it and those that read it';

async function apply(client: Client, { name, sql, hash }: MigrationFile): Promise<void> {
  try {
    // One by one where the file says so: a Citus hands on the text of a constraint to its nodes as it came.
    for (const statements of sql.split('--> statement-breakpoint')) await client.query(statements);
  } catch (error) {
    const way = codeOf(error) === INVALID_TABLE_DEFINITION ? APPEND_ONLY : '';
    throw new TerminalError(`${name} could not be applied: ${databaseSentence(error)}${way}`, {
      cause: error,
    });
  }
  await client.query(
    `INSERT INTO ops.migrations (name, hash, version) VALUES ($1, $2, $3)
     ON CONFLICT (name) DO UPDATE SET hash = excluded.hash, version = excluded.version, applied_at = now()`,
    [name, hash, VERSION],
  );
}
