/** Schema `core`: who buys, and the groups they are in. */
import { foreignKey, integer, primaryKey, text } from 'drizzle-orm/pg-core';

import { id64, instant, isOneOf, json, localTime } from './columns.ts';
import { core, shopId } from './shops.ts';

export const userGroups = core.table(
  'user_groups',
  {
    shop_id: shopId(),
    group_oid: id64('group_oid').notNull(),
    parent_oid: id64('parent_oid'),
    name: text('name'),
    url: text('url'),
    type: text('type'),
    template: text('template'),
    visible: text('visible'),
    sort: integer('sort'),
    owner_oid: id64('owner_oid'),
    access: text('access'),
    created_local: localTime('created_local'),
    updated_local: localTime('updated_local'),
    deleted_at: instant('deleted_at'),
  },
  (table) => [primaryKey({ columns: [table.shop_id, table.group_oid] })],
);

export type GroupRow = Readonly<Omit<typeof userGroups.$inferSelect, 'shop_id' | 'deleted_at'>>;

const FETCH_STATES = ['pending', 'ok', 'not_found', 'failed', 'guest', 'erased'];

export const users = core.table(
  'users',
  {
    shop_id: shopId(),
    user_oid: id64('user_oid').notNull(),
    fetch_state: text('fetch_state').notNull(),
    group_oid: id64('group_oid'),
    level: integer('level'),
    owner_oid: id64('owner_oid'),
    visible: text('visible'),
    access: text('access'),
    created_local: localTime('created_local'),
    updated_local: localTime('updated_local'),
    created_at: instant('created_at'),
    fetched_at: instant('fetched_at'),
  },
  (table) => [
    primaryKey({ columns: [table.shop_id, table.user_oid] }),
    isOneOf('users_fetch_state_check', table.fetch_state, FETCH_STATES),
  ],
);

export type UserRow = Readonly<Omit<typeof users.$inferSelect, 'shop_id' | 'fetch_state' | 'fetched_at'>>;

/** What identifies or was entered by a person: stored here alone. */
export const userPersons = core.table(
  'user_persons',
  {
    shop_id: integer('shop_id').notNull(),
    user_oid: id64('user_oid').notNull(),
    login: text('login'),
    email: text('email'),
    phone: text('phone'),
    name: text('name'),
    org_name: text('org_name'),
    gender: text('gender'),
    address: text('address'),
    images: json('images'),
    content: json('content'),
    rest: json('rest'),
  },
  (table) => [
    primaryKey({ columns: [table.shop_id, table.user_oid] }),
    foreignKey({
      columns: [table.shop_id, table.user_oid],
      foreignColumns: [users.shop_id, users.user_oid],
    }).onDelete('cascade'),
  ],
);

export type UserPerson = Readonly<Omit<typeof userPersons.$inferSelect, 'shop_id' | 'user_oid' | 'rest'>>;
