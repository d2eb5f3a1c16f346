/** docs/data-dictionary.md, from the database's own comments. */
import { readdir, readFile } from 'node:fs/promises';

import { type Column, mayBeNull, nameOf, type Relation } from './catalog.ts';
import { code, codes, formatted, inRepository, markdownTable, sqlBlock } from './markdown.ts';
import { VIEW_KEYS } from './view-keys.ts';

const QUERIES = inRepository('docs/queries');

/** Example queries by the name of their view: docs/queries/bi.orders.sql is of bi.orders. */
export async function readQueries(): Promise<ReadonlyMap<string, string>> {
  const files = (await readdir(QUERIES)).filter((file) => file.endsWith('.sql')).toSorted();
  const read = async (file: string) =>
    [file.slice(0, -'.sql'.length), await readFile(`${QUERIES}/${file}`, 'utf8')] as const;
  return new Map(await Promise.all(files.map(read)));
}

const INTRODUCTION = `# Data dictionary

<!-- Generated from the comments in the database by \`npm run docs:dictionary\`: edit the SQL in drizzle/, not this file. -->

Every schema, table, view and column of the warehouse, from the comments in the database: \`\\d+ bi.orders\` in psql and the
descriptions in BI tools show the same. Use \`bi\` for reports. [Querying the warehouse](bi.md) explains how to connect, which
view answers which question, and which pitfalls to avoid.

- **Days** (\`date\`) are calendar days in the shop's own time zone. **Timestamps** (\`timestamptz\`) are shown in the time
  zone of your session. \`*_local\` is the shop's local time.
- **Personal data** is in \`core.order_persons\`, \`core.user_persons\` and \`bi_pii\`, where the comments say so, and nowhere else.
- **Money** is \`numeric\`, exact, in the \`currency\` of the row or of its order. Never add up different currencies.
- **Percentages** go from 0 to 100. Do not add or average them: divide the underlying sums.
- **NULL** means what the comment says, and never 0. Columns marked "no" never contain it.
- **Keys**: no two rows have the same values in all columns of a key. In views, NULL counts as a value like any other.
- Numbers ending in \`_oid\`, and \`order_id\`, are the shop's own and unique only within a shop, so join on \`shop_id\` too.`;

export async function renderDictionary(relations: readonly Relation[]): Promise<string> {
  const queries = await readQueries();
  const schemas = [...Map.groupBy(relations, ({ schema }) => schema)];
  const contents = schemas.map(([schema, members]) => `- ${code(schema)}: ${members.map(link).join(', ')}`);
  const sections = schemas.map(([schema, members]) => {
    const parts = members.map((relation) => section(relation, queries.get(nameOf(relation))));
    return [`## ${schema}`, members[0]?.schemaComment ?? '', ...parts].join('\n\n');
  });
  return formatted([INTRODUCTION, contents.join('\n'), ...sections, ''].join('\n\n'));
}

const link = (relation: Relation) => `[${relation.name}](#${nameOf(relation).replace('.', '')})`;

function section(relation: Relation, query: string | undefined): string {
  const columns = relation.columns.map((column) => columnRow(relation, column));
  const example = query === undefined ? [] : [sqlBlock(query)];
  const parts = [
    `### ${nameOf(relation)}`,
    relation.comment,
    keys(relation).join('\n'),
    markdownTable(['column', 'type', 'NULL', 'meaning'], columns),
  ];
  return [...parts, ...example].join('\n\n');
}

function columnRow(relation: Relation, column: Column): readonly string[] {
  const type = column.type
    .replace('timestamp with time zone', 'timestamptz')
    .replace(' without time zone', '');
  return [code(column.name), type, mayBeNull(relation, column) ? 'yes' : 'no', column.comment];
}

function keys(relation: Relation): readonly string[] {
  if (!relation.isView) return relation.constraints.map((constraint) => `- ${code(constraint)}`);
  const known = VIEW_KEYS[nameOf(relation)];
  // Views that are not for people, in schemas of tables, have none.
  if (known === undefined) return [];
  const pointers = Object.entries(known.pointsTo ?? {}).map(
    ([view, columns]) => `- ${codes(columns)} → ${code(view)} (${codes(VIEW_KEYS[view]?.key ?? [])})`,
  );
  return [`- Key: ${codes(known.key)}`, ...pointers];
}
