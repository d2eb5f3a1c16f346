/** Schema `raw`: the last payload of each record as it came, so that it can be normalized again without the shop. */
import { index, integer, pgSchema, primaryKey, smallint, text } from 'drizzle-orm/pg-core';

import { id64, instant, json } from './columns.ts';

export const raw = pgSchema('raw');

const shopId = () => integer('shop_id').notNull();
const payload = () => json('payload');
const fetchedAt = () => instant('fetched_at').notNull();

/** One payload of each order. */
const ofOrders = (name: string) =>
  raw.table(
    name,
    {
      shop_id: shopId(),
      order_id: id64('order_id').notNull(),
      payload: payload().notNull(),
      fetched_at: fetchedAt(),
    },
    (table) => [
      primaryKey({ columns: [table.shop_id, table.order_id] }),
      index(`raw_${name}_age_idx`).on(table.shop_id, table.fetched_at),
    ],
  );
export const rawOrders = ofOrders('orders');
export const rawOrderContents = ofOrders('order_contents');

export const rawUsers = raw.table(
  'users',
  {
    shop_id: shopId(),
    user_key: text('user_key').notNull(),
    payload: payload(),
    http_status: smallint('http_status'),
    fetched_at: fetchedAt(),
  },
  (table) => [
    primaryKey({ columns: [table.shop_id, table.user_key] }),
    index('raw_users_age_idx').on(table.shop_id, table.fetched_at),
  ],
);

export const rawUserGroups = raw.table(
  'user_groups',
  {
    shop_id: shopId(),
    group_oid: id64('group_oid').notNull(),
    payload: payload().notNull(),
    fetched_at: fetchedAt(),
  },
  (table) => [primaryKey({ columns: [table.shop_id, table.group_oid] })],
);
