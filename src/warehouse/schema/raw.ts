/** Schema `raw`: the last payload of each record as it came, so that it can be normalized again without the shop. */
import { pgSchema, smallint, text } from 'drizzle-orm/pg-core';

import { id64, instant, json, shopId } from './columns.ts';

export const raw = pgSchema('raw');

const payload = () => json('payload');
const fetchedAt = () => instant('fetched_at').notNull();

/** One payload of each order. */
const ofOrders = (name: string) =>
  raw.table(name, {
    shop_id: shopId(),
    order_id: id64('order_id').primaryKey(),
    payload: payload().notNull(),
    fetched_at: fetchedAt(),
  });
export const rawOrders = ofOrders('orders');
export const rawOrderContents = ofOrders('order_contents');

export const rawUsers = raw.table('users', {
  shop_id: shopId(),
  user_key: text('user_key').primaryKey(),
  payload: payload(),
  http_status: smallint('http_status'),
  fetched_at: fetchedAt(),
});

export const rawUserGroups = raw.table('user_groups', {
  shop_id: shopId(),
  group_oid: id64('group_oid').primaryKey(),
  payload: payload().notNull(),
  fetched_at: fetchedAt(),
});
