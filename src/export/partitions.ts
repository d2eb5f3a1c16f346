import type { Client } from 'pg';

import type { View } from '../warehouse/query/read-views.ts';
import { type ExportColumn, toExportColumn } from './columns.ts';
import type { ExportFormat } from './export-format.ts';
import type { Manifest, ManifestPartition } from './manifest.ts';

/** The rows of a view that one file holds. */
export type Partition = Pick<ManifestPartition, 'shop' | 'month' | 'orders'> & {
  readonly view: ExportView;
  readonly shopId: number | null;
};

export type ExportView = {
  readonly name: string;
  readonly columns: readonly ExportColumn[];
  /** The day, or the month, by which it is divided; undefined: by shop alone. */
  readonly dateColumn: string | undefined;
  readonly isOfShops: boolean;
  /** Whether its rows change with `changed_at` of their orders alone. */
  readonly followsOrders: boolean;
};

const DATES = ['order_date', 'order_month', 'day'];

export function toExportView({ name, columns: known }: View): ExportView {
  const columns = known.map(toExportColumn);
  const has = (column: string) => columns.some((one) => one.name === column);
  const isOfShops = has('shop_id');
  return {
    name,
    columns,
    dateColumn: isOfShops ? DATES.find(has) : undefined,
    isOfShops,
    // An age grows by itself.
    followsOrders: has('order_id') && has('order_date') && has('changed_at') && !has('age_days'),
  };
}

type Group = Pick<ManifestPartition, 'shop' | 'month' | 'orders'> & { readonly shop_id: number | null };

/** The partitions of views, as they are now. @param views of `bi` */
export async function readPartitions(
  client: Pick<Client, 'query'>,
  views: readonly ExportView[],
): Promise<readonly Partition[]> {
  const known = new Map<string, readonly Group[]>();
  const partitions: Partition[] = [];
  for (const view of views) {
    const query = groupQuery(view);
    const groups = known.get(query) ?? (await client.query<Group>(query)).rows;
    known.set(query, groups);
    partitions.push(...groups.map(({ shop_id: shopId, ...group }) => ({ ...group, view, shopId })));
  }
  return partitions;
}

/** The query of what one file each is of: views that follow orders have the same. */
function groupQuery({ name, dateColumn, followsOrders, isOfShops }: ExportView): string {
  if (!isOfShops) return 'SELECT NULL AS shop_id, NULL AS shop, NULL AS month, NULL AS orders';
  const month = dateColumn === undefined ? 'NULL' : `to_char(${dateColumn}, 'YYYY-MM')`;
  const changes = `json_build_object('count', count(*), 'changed_at', max(changed_at)::text)`;
  const source = followsOrders ? 'orders' : dateColumn === undefined ? 'shops' : name;
  return `SELECT shop_id, shop, ${month} AS month, ${followsOrders ? changes : 'NULL'} AS orders
    FROM bi.${source} GROUP BY 1, 2, 3 ORDER BY shop, month`;
}

/**
 * As Hive names folders, which DuckDB, Spark, polars and pandas understand: `orders/shop_key=north/month=2026-03/part.parquet`. A folder is
 * never named like a column of its files, which pyarrow refuses to merge with it.
 */
export function partitionPath({ view, shop, month }: Partition, format: ExportFormat): string {
  const folders = [
    view.name,
    ...(shop === null ? [] : [`shop_key=${encodeURIComponent(shop)}`]),
    ...(view.dateColumn === undefined ? [] : [`month=${month ?? '__HIVE_DEFAULT_PARTITION__'}`]),
  ];
  return [...folders, `part.${format}`].join('/');
}

/**
 * The entry of a partition that needs not be read again: nothing of its orders changed, none came and none left. A change gives
 * an order a later `changed_at` than any of its shop had before.
 */
export function findUnchanged(
  partition: Partition,
  format: ExportFormat,
  before: Manifest | undefined,
): ManifestPartition | undefined {
  if (before === undefined || partition.orders === null || !hasSameColumns(partition.view, before))
    return undefined;
  const entry = before.partitions.find(({ path }) => path === partitionPath(partition, format));
  const { count, changed_at } = partition.orders;
  return entry?.orders?.count === count && entry.orders.changed_at === changed_at ? entry : undefined;
}

const hasSameColumns = ({ name, columns }: ExportView, before: Manifest) =>
  JSON.stringify(before.columns[name]) === JSON.stringify(columnNames(columns));

export const columnNames = (columns: readonly ExportColumn[]) =>
  columns.map(({ name, type }) => ({ name, type }));

/** The query of a partition's rows. They are sorted if only a comparison of the contents shows whether they changed. */
export function partitionQuery({ view, shopId, month }: Partition, format: ExportFormat): string {
  const columns = view.columns.map(({ name, sql }) => (format === 'csv' ? `"${name}"` : sql));
  const date = view.dateColumn;
  const first = `DATE '${month}-01'`;
  const inMonth =
    month === null
      ? `${date} IS NULL`
      : `${date} >= ${first} AND ${date} < (${first} + interval '1 month')::date`;
  const conditions = [
    ...(shopId === null ? [] : [`shop_id = ${shopId}`]),
    ...(date === undefined ? [] : [inMonth]),
  ];
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  const order = view.followsOrders ? '' : `ORDER BY ${columns.map((_, at) => at + 1).join(', ')}`;
  return `SELECT ${columns.join(', ')} FROM bi.${view.name} ${where} ${order}`;
}
