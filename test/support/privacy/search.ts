/** Looks for persons in everything that a database holds, and in everything that was printed. */
import type { Client } from 'pg';

import type { Person } from './persons.ts';

/** Every row of every table as text, of whatever schema but the system's own and that of the tests. Views hold nothing else. */
export async function readEverything(client: Client): Promise<string> {
  const { rows: relations } = await client.query<{ name: string }>(
    `SELECT c.oid::regclass::text AS name FROM pg_class c
     WHERE c.relkind = ANY ('{r,m}') AND c.relnamespace::regnamespace::text !~ '^(pg_|(information_schema|tested)$)' ORDER BY 1`,
  );
  const each = relations.map(
    ({ name }) =>
      `SELECT '${name}' AS name, string_agg(t::text, E'\\n' ORDER BY t::text) AS text FROM ${name} t`,
  );
  const { rows } = await client.query<{ name: string; text: string | null }>(each.join(' UNION ALL '));
  return rows.map(({ name, text }) => `${name}\n${text ?? ''}`).join('\n');
}

/** What a text holds of persons, whatever the case and the spelling of numbers, each with what stands around it. */
export function findPersons(persons: readonly Person[], text: string): readonly string[] {
  return persons
    .flatMap(({ texts, phones, account }) => [
      ...texts.map(asWritten),
      ...phones.map(asSpelled),
      ...(account === undefined ? [] : [asWritten(String(account))]),
    ])
    .flatMap((pattern) => {
      const { 0: found = '', index } = pattern.exec(text) ?? {};
      return index === undefined ? [] : [text.slice(Math.max(0, index - 80), index + found.length + 40)];
    });
}

const asWritten = (text: string) => new RegExp(`(?<![\\w.])${RegExp.escape(text)}(?!\\.?\\w)`, 'iu');
const asSpelled = (digits: string) => new RegExp(`${digits.split('').join('[\\s().\\-/]{0,3}')}(?!\\d)`, 'u');
