/**
 * In each process of tests that use PostgreSQL: every statement of the program that reads or writes rows of shops must say whose.
 * A query that forgot to is noticed by its result only where the rows of two shops meet; here it is by its text.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { loadModule, parseSync } from 'libpg-query';
import { Client } from 'pg';
import { afterEach } from 'vitest';

import { provided } from '../provided.ts';
import { findUnbound } from './shop-scope.ts';
import { statementsIn } from './sql-nodes.ts';
import { allowedGroups } from './statements-of-all-shops.ts';

const SOURCE = join(import.meta.dirname, '../../../src');
/** What Drizzle builds is written nowhere. Only tests build queries of the views. */
const BUILT = /^(?:select|update|delete from|insert into) "(?!.* from "bi)/;

const squeeze = (sql: string) => sql.replaceAll(/\s+/g, ' ').trim();

/** The text of the program, which its statements begin with: tests send statements of their own. */
function readSource(): string {
  const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  return squeeze(files.map((name) => readFileSync(join(SOURCE, name), 'utf8')).join('\n'));
}

/** One for all test files of this process. */
type Watch = { readonly seen: Set<string>; readonly found: Set<string> };
const WATCH = Symbol.for('watch of statements');

function watchStatements(): Watch {
  const known: Watch | undefined = Reflect.get(globalThis, WATCH);
  if (known !== undefined) return known;
  const watch: Watch = { seen: new Set(), found: new Set() };
  Reflect.set(globalThis, WATCH, watch);
  const source = readSource();
  const inserted = [...source.matchAll(INSERTED)].map(([, head = '', tail = '']) => [head, tail] as const);
  const nesting = [...source.matchAll(NESTING)].map(([, head = '']) => head);
  const tables = new Set(provided('testDatabases').shopTables);
  const query = Reflect.get(Client.prototype, 'query');
  const watched = function watched(this: Client, ...given: readonly unknown[]): unknown {
    const [first] = given;
    const text: unknown = typeof first === 'string' ? first : Reflect.get(Object(first), 'text');
    if (typeof text === 'string' && !watch.seen.has(text)) {
      watch.seen.add(text);
      const sql = squeeze(text);
      if (isOfProgram(sql, source, inserted) || nesting.some((head) => sql.startsWith(head)))
        findIn(text, tables, watch.found);
    }
    return Reflect.apply(query, this, given);
  };
  Reflect.set(Client.prototype, 'query', watched);
  return watch;
}

/** How statements begin into which the program inserts the name of a table. */
const INSERTED = /sql`\s*(DELETE FROM|INSERT INTO|SELECT [^`$]* FROM) \$\{[^}]*\}([^`$]{8,})/g;

/** How statements begin whose first parameter is in what the program inserts, such as the statement about its lease. */
const NESTING = /sql`\s*([^`$]{40,}?)\s*\$\{/g;

function isOfProgram(sql: string, source: string, inserted: readonly (readonly [string, string])[]): boolean {
  for (const [head, tail] of inserted) {
    const [table = ''] = sql.slice(head.length + 1).split(' ');
    if (sql.startsWith(`${head} ${table}${tail.trimEnd()}`)) return true;
  }
  const [beginning = '', ...parameters] = sql.split('$1');
  if (parameters.length > 0) return BUILT.test(sql) || source.includes(beginning.trim());
  return BUILT.test(sql) || ['`', "'"].some((quote) => source.includes(sql + quote));
}

function findIn(text: string, tables: ReadonlySet<string>, found: Set<string>): void {
  const unbound = statementsIn(parseSync(text)).flatMap(
    (statement) => findUnbound(statement, tables).unbound,
  );
  const sql = squeeze(text);
  if (unbound.length <= allowedGroups(sql)) return;
  found.add(`${unbound.map((group) => group.join(', ')).join('; ')} in: ${sql}`);
}

await loadModule();
const { found } = watchStatements();

afterEach(() => {
  const said = [...found];
  found.clear();
  if (said.length > 0) throw new Error(`it is not said of which shop the rows are of ${said.join('\n')}`);
});
