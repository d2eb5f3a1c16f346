/** Reads stored payloads in batches by key, to normalize them again. */
import { type SQL, sql } from 'drizzle-orm';

import { type JsonValue, parseJson } from '../../json.ts';
import type { Db } from '../db/database.ts';
import { parseInstant } from '../db/instant.ts';
import { restoreText } from '../db/pg-json.ts';

/** A payload as it came from the shop. */
type Payload = { readonly payload: JsonValue; readonly fetchedAt: Temporal.Instant };

export type RawOrder = Payload & {
  readonly key: string;
  readonly content: Payload | undefined;
  /** The row in core; undefined where it could not be normalized so far. */
  readonly held:
    | {
        readonly createdOn: string | undefined;
        readonly isDeleted: boolean;
        readonly fingerprint: string;
      }
    | undefined;
};

export type RawUser = Payload & {
  readonly key: string;
  /** The row in core, times as the database writes them. */
  readonly held: { readonly fetchState: string; readonly fetchedAt: string | null } | undefined;
};

export type RawGroup = Payload & {
  readonly key: string;
  /** Absent when the tree was last read. */
  readonly isGone: boolean;
};

export type RawKind = 'orders' | 'users' | 'user_groups';

/** How many records of each kind a replay reads. */
export async function countRaw(db: Db, shopId: number): Promise<Readonly<Record<RawKind, number>>> {
  const { rows } = await db.execute<Record<RawKind, number>>(sql`
    SELECT (SELECT count(*)::int FROM raw.orders WHERE shop_id = ${shopId}) AS orders,
      (SELECT count(*)::int FROM raw.users WHERE shop_id = ${shopId} AND payload IS NOT NULL) AS users,
      (SELECT count(*)::int FROM raw.user_groups WHERE shop_id = ${shopId}) AS user_groups`);
  return rows[0] ?? { orders: 0, users: 0, user_groups: 0 };
}

type OrderRow = {
  key: string;
  payload: string;
  fetched_at: string;
  content: string | null;
  content_fetched_at: string | null;
  created_on: string | null;
  is_deleted: boolean;
  fingerprint: string | null;
};

/** Orders with their contents, by id. @param after the last one read */
export async function readRawOrders(
  db: Db,
  shopId: number,
  after: string | undefined,
  limit: number,
): Promise<readonly RawOrder[]> {
  const { rows } = await db.execute<OrderRow>(sql`
    SELECT r.order_id AS key, r.payload::text, r.fetched_at, c.payload::text AS content,
      c.fetched_at AS content_fetched_at, o.created_on,
      o.deleted_at IS NOT NULL AS is_deleted, o.fingerprint
    FROM raw.orders r
    LEFT JOIN raw.order_contents c ON c.shop_id = r.shop_id AND c.order_id = r.order_id
    LEFT JOIN core.orders o ON o.shop_id = r.shop_id AND o.order_id = r.order_id
    WHERE r.shop_id = ${shopId} AND ${isAfter(sql`r.order_id`, after, 'bigint')}
    ORDER BY r.order_id LIMIT ${limit}`);
  return rows.map((row) => ({
    key: row.key,
    ...parsePayload(row.payload, row.fetched_at),
    content:
      row.content !== null && row.content_fetched_at !== null
        ? parsePayload(row.content, row.content_fetched_at)
        : undefined,
    held:
      row.fingerprint === null
        ? undefined
        : {
            createdOn: row.created_on ?? undefined,
            isDeleted: row.is_deleted,
            fingerprint: row.fingerprint,
          },
  }));
}

type UserRow = {
  key: string;
  payload: string;
  fetched_at: string;
  fetch_state: string | null;
  held_at: string | null;
};

/** Users with a payload, by key. @param after the last one read */
export async function readRawUsers(
  db: Db,
  shopId: number,
  after: string | undefined,
  limit: number,
): Promise<readonly RawUser[]> {
  const { rows } = await db.execute<UserRow>(sql`
    SELECT r.user_key AS key, r.payload::text, r.fetched_at, u.fetch_state, u.fetched_at AS held_at
    FROM raw.users r LEFT JOIN core.users u ON u.shop_id = r.shop_id AND u.user_oid = r.user_key::bigint
    WHERE r.shop_id = ${shopId} AND r.payload IS NOT NULL AND ${isAfter(sql`r.user_key`, after, 'text')}
    ORDER BY r.user_key LIMIT ${limit}`);
  return rows.map((row) => ({
    key: row.key,
    ...parsePayload(row.payload, row.fetched_at),
    held: row.fetch_state === null ? undefined : { fetchState: row.fetch_state, fetchedAt: row.held_at },
  }));
}

/** Groups, by id. @param after the last one read */
export async function readRawGroups(
  db: Db,
  shopId: number,
  after: string | undefined,
  limit: number,
): Promise<readonly RawGroup[]> {
  const { rows } = await db.execute<{ key: string; payload: string; fetched_at: string; is_gone: boolean }>(
    sql`
    SELECT r.group_oid AS key, r.payload::text, r.fetched_at,
      r.fetched_at < (SELECT max(fetched_at) FROM raw.user_groups WHERE shop_id = ${shopId}) AS is_gone
    FROM raw.user_groups r
    WHERE r.shop_id = ${shopId} AND ${isAfter(sql`r.group_oid`, after, 'bigint')}
    ORDER BY r.group_oid LIMIT ${limit}`,
  );
  return rows.map((row) => ({
    key: row.key,
    isGone: row.is_gone,
    ...parsePayload(row.payload, row.fetched_at),
  }));
}

/** Customer keys of some guests, each with the payload it was made from. */
export async function readGuestSamples(
  db: Db,
  shopId: number,
  limit: number,
): Promise<readonly { readonly customerKey: string; readonly payload: JsonValue }[]> {
  const { rows } = await db.execute<{ customer_key: string; payload: string }>(sql`
    SELECT o.customer_key, r.payload::text FROM core.orders o JOIN raw.orders r USING (shop_id, order_id)
    WHERE o.shop_id = ${shopId} AND o.customer_key LIKE 'g:%' LIMIT ${limit}`);
  return rows.map((row) => ({
    customerKey: row.customer_key,
    payload: parseJson(restoreText(row.payload)),
  }));
}

/** A condition that can use the index; none at the start. */
function isAfter(column: SQL, after: string | undefined, type: 'bigint' | 'text'): SQL {
  return after === undefined ? sql`true` : sql`${column} > ${after}::${sql.raw(type)}`;
}

function parsePayload(text: string, fetchedAt: string): Payload {
  return { payload: parseJson(restoreText(text)), fetchedAt: parseInstant(fetchedAt) };
}
