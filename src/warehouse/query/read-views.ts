import type { Database } from '../db/database.ts';

type ViewColumn = { readonly name: string; readonly type: string; readonly comment: string };
export type View = {
  readonly schema: string;
  readonly name: string;
  readonly comment: string;
  readonly columns: readonly ViewColumn[];
};

const VIEWS = `
  SELECT n.nspname AS schema, c.relname AS name, coalesce(obj_description(c.oid, 'pg_class'), '') AS comment,
    (SELECT json_agg(json_build_object('name', attname, 'type', format_type(atttypid, atttypmod),
        'comment', coalesce(col_description(c.oid, attnum), '')) ORDER BY attnum)
      FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped) AS columns
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('v', 'm') AND n.nspname = ANY ($1)
  ORDER BY n.nspname, c.relname`;

/** The views of some schemas, by name, with what the catalog says of them. A comment that is missing is `''`. */
export async function readViews(
  { query }: Pick<Database, 'query'>,
  schemas: readonly string[],
): Promise<readonly View[]> {
  const { rows } = await query(VIEWS, [schemas]);
  return rows;
}

/** `bi.orders` */
export const fullName = ({ schema, name }: View) => `${schema}.${name}`;
