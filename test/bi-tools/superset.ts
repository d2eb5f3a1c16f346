/** What Superset imports: the database, a dataset for each view of `bi`, and a dashboard. */
import { createHash } from 'node:crypto';

import { stringify } from 'yaml';

import { type Column, nameOf, type Relation } from '../docs/catalog.ts';
import { formatted } from '../docs/markdown.ts';
import { METRICS } from './metrics.ts';
import { renderDashboard } from './superset-dashboard.ts';
import { CHARTS, type Chart } from './superset-charts.ts';

const HEAD =
  '# Generated from the comments in the database by `npm run bi:tools`: edit drizzle/views or test/bi-tools.\n';
const VERSION = '1.0.0';
/** Superset tells by these whether it has something already, so they must never change. */
const DATABASE_UUID = uuidOf('database');

/** Files by their paths in the folder that is imported. */
export async function renderSuperset(relations: readonly Relation[]): Promise<ReadonlyMap<string, string>> {
  const views = relations.filter(({ schema }) => schema === 'bi');
  const files: readonly (readonly [string, unknown])[] = [
    ['metadata.yaml', { version: VERSION, type: 'Dashboard', timestamp: '2026-01-01T00:00:00+00:00' }],
    ['databases/order_sync.yaml', database()],
    ...views.map((view) => [`datasets/order_sync/${view.name}.yaml`, dataset(view)] as const),
    ...CHARTS.map((chart) => [`charts/${fileName(chart)}.yaml`, chartFile(chart)] as const),
    ['dashboards/sales.yaml', { ...renderDashboard(uuidOf), version: VERSION }],
  ];
  const texts = files.map(
    async ([path, value]) =>
      [
        path,
        await formatted(HEAD + stringify(value, { lineWidth: 0, version: '1.1' }), 'file.yaml'),
      ] as const,
  );
  return new Map(await Promise.all(texts));
}

const fileName = ({ name }: Chart) => name.toLowerCase().replaceAll(/\W+/g, '_');

function uuidOf(name: string): string {
  const hash = createHash('sha1').update(`order-sync superset ${name}`).digest('hex');
  const parts = [hash.slice(0, 8), hash.slice(8, 12), `5${hash.slice(13, 16)}`, `8${hash.slice(17, 20)}`];
  return [...parts, hash.slice(20, 32)].join('-');
}

function database() {
  return {
    database_name: 'order-sync',
    sqlalchemy_uri: 'postgresql+psycopg2://bi:XXXXXXXXXX@127.0.0.1:5432/order_sync',
    cache_timeout: null,
    expose_in_sqllab: true,
    allow_run_async: false,
    allow_ctas: false,
    allow_cvas: false,
    allow_dml: false,
    allow_file_upload: false,
    extra: {
      allows_virtual_table_explore: true,
      schemas_allowed_for_file_upload: [],
      // Superset cuts a day to its month in the zone of the session, and shows the result in UTC: in a zone east of
      // Greenwich that is the last day of the month before.
      engine_params: { connect_args: { options: '-c timezone=UTC' } },
    },
    uuid: DATABASE_UUID,
    version: VERSION,
  };
}

function dataset(view: Relation) {
  const days = view.columns.filter(({ type }) => type === 'date');
  const metrics = METRICS[nameOf(view)] ?? [count(view)];
  return {
    table_name: view.name,
    schema: view.schema,
    description: view.comment,
    main_dttm_col: days[0]?.name ?? null,
    metrics: metrics.map(({ name, expression, description, format = null }) => ({
      metric_name: name,
      expression,
      description,
      d3format: format,
    })),
    columns: view.columns.map(columnOf),
    uuid: uuidOf(nameOf(view)),
    database_uuid: DATABASE_UUID,
    version: VERSION,
  };
}

const count = ({ comment }: Relation) => ({
  name: 'rows',
  expression: 'COUNT(*)',
  description: `Number of rows: ${comment.charAt(0).toLowerCase()}${comment.slice(1)}`,
  format: ',d',
});

function columnOf({ name, type, comment }: Column) {
  const isTime = type === 'date' || type.startsWith('timestamp');
  const typeName = type.toUpperCase();
  return {
    column_name: name,
    type: typeName,
    is_dttm: isTime,
    groupby: true,
    filterable: true,
    description: comment,
  };
}

function chartFile({ name, view, type, params }: Chart) {
  return {
    slice_name: name,
    viz_type: type,
    params: { ...params, viz_type: type },
    cache_timeout: null,
    uuid: uuidOf(`chart ${name}`),
    dataset_uuid: uuidOf(view),
    version: VERSION,
  };
}
