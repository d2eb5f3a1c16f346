/** dbt's description of the views of `bi`, from the database's own comments. */
import { stringify } from 'yaml';

import { type Column, mayBeNull, nameOf, type Relation } from '../docs/catalog.ts';
import { formatted } from '../docs/markdown.ts';
import { VIEW_KEYS } from '../docs/view-keys.ts';

const HEAD = `# Generated from the comments in the database by \`npm run bi:tools\`: edit the SQL in drizzle/views, not this file.
`;

export async function renderDbtSources(relations: readonly Relation[]): Promise<string> {
  const source = {
    name: 'order_sync',
    description: 'The views of order-sync: joins done, amounts exact, currencies apart, no personal data.',
    schema: "{{ var('order_sync_schema', 'bi') }}",
    tables: relations.filter(({ schema }) => schema === 'bi').map(tableOf),
  };
  return formatted(
    HEAD + stringify({ version: 2, sources: [source] }, { lineWidth: 0, version: '1.1' }),
    'sources.yml',
  );
}

function tableOf(relation: Relation) {
  const { key = [], pointsTo = {} } = VIEW_KEYS[nameOf(relation)] ?? {};
  const pointers = Object.entries(pointsTo).map(([target, columns]) => ({
    points_to: {
      name: ['points_to', relation.name, target.replace('bi.', '')].join('_'),
      arguments: {
        columns: [...columns],
        to: `source('order_sync', '${target.replace('bi.', '')}')`,
        key: [...(VIEW_KEYS[target]?.key ?? [])],
      },
    },
  }));
  return {
    name: relation.name,
    description: relation.comment,
    data_tests: [{ unique_key: { arguments: { key: [...key] } } }, ...pointers],
    columns: relation.columns.map((column) => columnOf(relation, column, key)),
  };
}

/** The columns of the key tell rows apart, so that dbt shall also see that they are there. */
function columnOf(relation: Relation, column: Column, key: readonly string[]) {
  const isTested = key.includes(column.name) && !mayBeNull(relation, column);
  return {
    name: column.name,
    description: column.comment,
    data_type: column.type,
    ...(isTested ? { data_tests: ['not_null'] } : {}),
  };
}
