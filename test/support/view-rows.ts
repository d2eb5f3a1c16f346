/** What a view says: counts as numbers, identifiers and amounts as text, moments as instants. */
import { type SQL, sql } from 'drizzle-orm';

import type { Db, Tx } from '../../src/warehouse/db/database.ts';

type ViewRow = Record<string, unknown>;

const INT8 = 20;

/** @param which what follows WHERE @default all rows, in no order */
export async function viewRows<Row extends ViewRow = ViewRow>(
  db: Db | Tx,
  view: string,
  which: SQL = sql`true`,
) {
  const { rows, fields } = await db.execute<Row>(sql`SELECT * FROM ${sql.raw(view)} WHERE ${which}`);
  const counts = fields.filter(({ name, dataTypeID }) => dataTypeID === INT8 && !/_o?id$/.test(name));
  for (const row of rows) {
    for (const { name } of counts) if (row[name] !== null) Object.assign(row, { [name]: Number(row[name]) });
  }
  return rows;
}
