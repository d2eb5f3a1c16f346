/** Which columns of an order may hold what somebody typed. */
import { getTableColumns } from 'drizzle-orm';

import { BOOKKEEPING_COLUMNS, type BookkeepingColumn, orders } from './orders.ts';

/** Kinds of columns in which no text fits; all others are taken for texts. The custom kind is `id64`. */
const FIGURES = [
  'PgBoolean',
  'PgCustomColumn',
  'PgDateString',
  'PgInteger',
  'PgNumeric',
  'PgSmallInt',
  'PgTimestampString',
] as const;

/** What the program makes itself. */
const OWN_COLUMNS = [...BOOKKEEPING_COLUMNS, 'customer_key'] as const;

type Columns = (typeof orders)['_']['columns'];

type NotFigure = {
  [Name in keyof Columns]: Columns[Name]['_']['columnType'] extends (typeof FIGURES)[number] ? never : Name;
}[keyof Columns];

/** A column that may hold what somebody typed. */
export type OrderTextColumn = Exclude<NotFigure, BookkeepingColumn | 'customer_key'>;

/** By the schema, so that none can be forgotten. */
export function findTextColumns(): readonly OrderTextColumn[] {
  const figures: ReadonlySet<string> = new Set(FIGURES);
  const own: ReadonlySet<string> = new Set(OWN_COLUMNS);
  const isText = (name: string): name is OrderTextColumn => !own.has(name);
  return Object.values(getTableColumns(orders)).flatMap(({ name, columnType }) =>
    !figures.has(columnType) && isText(name) ? [name] : [],
  );
}
