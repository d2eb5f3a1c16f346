/**
 * In each process of tests that use PostgreSQL: every statement of the program that reads or writes rows of shops must say whose.
 * A query that forgot to is noticed by its result only where the rows of two shops meet; here it is by its text.
 */
import { loadModule, parseSync } from 'libpg-query';
import { Client } from 'pg';
import { afterEach } from 'vitest';

import { provided } from '../provided.ts';
import { readProgram } from './program-statements.ts';
import { findUnbound } from './shop-scope.ts';
import { statementsIn } from './sql-nodes.ts';
import { areOfAllShops } from './statements-of-all-shops.ts';

const squeeze = (sql: string) => sql.replaceAll(/\s+/g, ' ').trim();

/** One for all test files of this process. */
type Watch = { readonly seen: Set<string>; readonly found: Set<string> };
const WATCH = Symbol.for('watch of statements');

function watchStatements(): Watch {
  const known: Watch | undefined = Reflect.get(globalThis, WATCH);
  if (known !== undefined) return known;
  const watch: Watch = { seen: new Set(), found: new Set() };
  Reflect.set(globalThis, WATCH, watch);
  const isOfProgram = readProgram();
  const tables = new Set(provided('testDatabases').shopTables);
  const query = Reflect.get(Client.prototype, 'query');
  const watched = function watched(this: Client, ...given: readonly unknown[]): unknown {
    const [first] = given;
    const text: unknown = typeof first === 'string' ? first : Reflect.get(Object(first), 'text');
    if (typeof text === 'string' && !watch.seen.has(text)) {
      watch.seen.add(text);
      if (isOfProgram(text)) findIn(text, tables, watch.found);
    }
    return Reflect.apply(query, this, given);
  };
  Reflect.set(Client.prototype, 'query', watched);
  return watch;
}

function findIn(text: string, tables: ReadonlySet<string>, found: Set<string>): void {
  const unbound = statementsIn(parseSync(text)).flatMap(
    (statement) => findUnbound(statement, tables).unbound,
  );
  const sql = squeeze(text);
  if (areOfAllShops(sql, unbound)) return;
  found.add(`${unbound.map((group) => group.join(', ')).join('; ')} in: ${sql}`);
}

await loadModule();
const { found } = watchStatements();

afterEach(() => {
  const said = [...found];
  found.clear();
  if (said.length > 0) throw new Error(`it is not said of which shop the rows are of ${said.join('\n')}`);
});
