/** What the documentation claims of columns, held against the rows of a loaded warehouse. */
import type { Client } from 'pg';

import { mayBeNull, nameOf, readCatalog } from './catalog.ts';
import { VIEW_KEYS } from './view-keys.ts';

/** Keys that some rows share. */
export async function brokenKeys(client: Client): Promise<readonly string[]> {
  const broken: string[] = [];
  for (const [view, { key }] of Object.entries(VIEW_KEYS)) {
    const { rows } = await client.query(
      `SELECT FROM ${view} GROUP BY ${key.join(', ')} HAVING count(*) > 1 LIMIT 1`,
    );
    if (rows.length > 0) broken.push(view);
  }
  return broken;
}

/** Pointers of which some lead nowhere. */
export async function brokenPointers(client: Client): Promise<readonly string[]> {
  const broken: string[] = [];
  for (const [view, { pointsTo = {} }] of Object.entries(VIEW_KEYS)) {
    for (const [target, columns] of Object.entries(pointsTo)) {
      const key = VIEW_KEYS[target]?.key ?? [];
      const isKnown = columns.map((column) => `${column} IS NOT NULL`).join(' AND ');
      const query = `SELECT ${columns.join(', ')} FROM ${view} WHERE ${isKnown}
        EXCEPT SELECT ${key.join(', ')} FROM ${target} LIMIT 1`;
      if ((await client.query(query)).rows.length > 0) broken.push(`${view} -> ${target}`);
    }
  }
  return broken;
}

/** Columns of views that hold a NULL of which their comment does not speak, and views that prove nothing by being empty. */
export async function unexplainedNulls(client: Client): Promise<readonly string[]> {
  const found: string[] = [];
  for (const relation of (await readCatalog(client)).filter(({ isView }) => isView)) {
    const silent = relation.columns.filter((column) => !mayBeNull(relation, column));
    const counts = silent.map(({ name }) => `count(${name})::int AS ${name}`);
    const { rows } = await client.query<Record<string, number>>(
      `SELECT ${counts.join(', ')}, count(*)::int AS "all rows" FROM ${nameOf(relation)}`,
    );
    const { 'all rows': all = 0, ...known } = rows[0] ?? {};
    if (all === 0) found.push(`${nameOf(relation)} is empty`);
    const holding = Object.entries(known).filter(([, count]) => count < all);
    found.push(...holding.map(([name]) => `${nameOf(relation)}.${name}`));
  }
  return found;
}

export type Finding = {
  readonly name: string;
  /** What the comment of the column says, and of its view, which may be personal as a whole. */
  readonly warning: string;
};

/** All columns of text or JSON, tables and views alike, that hold one of some texts somewhere. */
export async function columnsWith(client: Client, texts: readonly string[]): Promise<readonly Finding[]> {
  const found: Finding[] = [];
  for (const relation of await readCatalog(client)) {
    const columns = relation.columns.filter(({ type }) => ['text', 'jsonb'].includes(type));
    const tests = columns.map(
      ({ name }) => `coalesce(bool_or(${HOLDS.replace('column', name)}), false) AS ${name}`,
    );
    const query = `SELECT ${['true AS "is there"', ...tests].join(', ')} FROM ${nameOf(relation)}`;
    const { rows } = await client.query<Record<string, boolean>>(query, tests.length > 0 ? [texts] : []);
    for (const { name, comment } of columns.filter(({ name }) => rows[0]?.[name] === true)) {
      found.push({
        name: `${nameOf(relation)}.${name}`,
        warning: relation.isView ? `${comment} ${relation.comment}` : comment,
      });
    }
  }
  return found;
}

const HOLDS = `EXISTS (SELECT FROM unnest($1::text[]) AS given WHERE strpos(column::text, given) > 0)`;
