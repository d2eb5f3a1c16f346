/** What a migrated database says about itself: the one source of the data dictionary. */
import type { Client } from 'pg';

export type Column = {
  readonly name: string;
  readonly type: string;
  /** Declared NOT NULL; never so in a view, of which the database knows nothing. */
  readonly isRequired: boolean;
  readonly comment: string;
};

export type Relation = {
  readonly schema: string;
  readonly schemaComment: string;
  readonly name: string;
  readonly isView: boolean;
  readonly comment: string;
  readonly columns: readonly Column[];
  /** Keys and checks as PostgreSQL words them, the primary key first. */
  readonly constraints: readonly string[];
};

/** The schemas people read first come first; one that a later migration adds comes last. */
const SCHEMA_ORDER = ['bi', 'bi_pii', 'core', 'raw', 'ops'];
/** Not ours to document: those of PostgreSQL. */
const FOREIGN = ['pg_catalog', 'pg_toast', 'information_schema', 'public'];

const CATALOG = `
  SELECT n.nspname AS schema, coalesce(obj_description(n.oid, 'pg_namespace'), '') AS "schemaComment",
    c.relname AS name, c.relkind IN ('v', 'm') AS "isView", coalesce(obj_description(c.oid, 'pg_class'), '') AS comment,
    (SELECT json_agg(json_build_object('name', attname, 'type', format_type(atttypid, atttypmod),
        'isRequired', attnotnull, 'comment', coalesce(col_description(c.oid, attnum), '')) ORDER BY attnum)
      FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped) AS columns,
    (SELECT coalesce(json_agg(pg_get_constraintdef(oid) ORDER BY array_position('{p,u,f,c}', contype::text), conname), '[]')
      FROM pg_constraint WHERE conrelid = c.oid AND contype IN ('p', 'u', 'f', 'c')) AS constraints
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT n.nspname = ANY ($1)
    AND (c.relkind <> 'v' OR n.nspname <> 'core')
  ORDER BY array_position($2::text[], n.nspname::text) NULLS LAST, n.nspname, c.relname`;

/** Every table of ours and every view for people, in the order in which the dictionary shows them. A comment that is missing is ''. */
export async function readCatalog(client: Client): Promise<readonly Relation[]> {
  const { rows } = await client.query<Relation>(CATALOG, [FOREIGN, SCHEMA_ORDER]);
  return rows;
}

export const nameOf = ({ schema, name }: Relation) => `${schema}.${name}`;

/** A column of a table is nullable by declaration, one of a view by its comment, which a test holds to the data. */
export function mayBeNull({ isView }: Relation, column: Column): boolean {
  return isView ? column.comment.includes('NULL') : !column.isRequired;
}
