/**
 * In each process of tests that use PostgreSQL: a connection parses and plans each statement of the program once, which takes the
 * server longer than to execute it on the few rows of a test. The program itself names no statement, since a pooler between it and
 * PostgreSQL may hand each transaction to another session.
 */
import { Client } from 'pg';

import { provided } from './provided.ts';

/** One for all test files of this process. */
const NAMES = Symbol.for('names of statements');

function keepPlans(): void {
  if (Reflect.has(globalThis, NAMES)) return;
  const names = new Map<string, string>();
  Reflect.set(globalThis, NAMES, names);
  const { port } = new URL(provided('testDatabases').serverUrl);
  const query = Reflect.get(Client.prototype, 'query');
  const kept = function kept(this: Client, ...given: readonly unknown[]): unknown {
    const [first, ...others] = given;
    const asked = Object(first);
    const text: unknown = Reflect.get(asked, 'text');
    const values: unknown = Reflect.get(asked, 'values') ?? others[0];
    const hasParameters = Array.isArray(values) && values.length > 0;
    // Poolers and proxies have ports of their own.
    const isKept = typeof text === 'string' && hasParameters && String(this.port) === port;
    if (!isKept || Reflect.has(asked, 'submit')) return Reflect.apply(query, this, given);
    const name = names.get(text) ?? `kept ${names.size}`;
    names.set(text, name);
    return Reflect.apply(query, this, [{ ...asked, name }, ...others]);
  };
  Reflect.set(Client.prototype, 'query', kept);
}

keepPlans();
