/** Schema `core`: who buys, and the groups they are in. */
import { integer, text } from 'drizzle-orm/pg-core';

import { id64, instant, json, localTime, shopId } from './columns.ts';
import { core } from './shops.ts';

export const userGroups = core.table('user_groups', {
  shop_id: shopId(),
  group_oid: id64('group_oid').primaryKey(),
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
});

export const users = core.table('users', {
  shop_id: shopId(),
  user_oid: id64('user_oid').primaryKey(),
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
});

/** What identifies or was entered by a person: stored here alone. */
export const userPersons = core.table('user_persons', {
  shop_id: shopId(),
  user_oid: id64('user_oid').primaryKey(),
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
});
