/** Views about people, in `bi_pii`. */
import { integer, text } from 'drizzle-orm/pg-core';

import { id64, instant, json } from '../../../src/warehouse/schema/columns.ts';
import { biPii, day, flag, shop } from './columns.ts';

export const biPiiOrderContacts = biPii
  .view('order_contacts', {
    ...shop(),
    order_id: id64('order_id').notNull(),
    order_date: day('order_date'),
    customer_key: text('customer_key').notNull(),
    buyer_oid: id64('buyer_oid'),
    is_guest: flag('is_guest'),
    buyer_name: text('buyer_name'),
    buyer_email: text('buyer_email'),
    buyer_phone: text('buyer_phone'),
    buyer_address: text('buyer_address'),
    comment: text('comment'),
    fields: json('fields'),
    status: text('status').notNull(),
    stage: text('stage').notNull(),
    is_sale: flag('is_sale'),
    is_deleted: flag('is_deleted'),
  })
  .existing();

export const biPiiUsers = biPii
  .view('users', {
    ...shop(),
    user_oid: id64('user_oid').notNull(),
    customer_key: text('customer_key').notNull(),
    login: text('login'),
    name: text('name'),
    email: text('email'),
    phone: text('phone'),
    org_name: text('org_name'),
    gender: text('gender'),
    address: text('address'),
    level: integer('level'),
    group_oid: id64('group_oid'),
    user_group: text('user_group'),
    created_at: instant('created_at'),
    fetch_state: text('fetch_state').notNull(),
    fetched_at: instant('fetched_at'),
  })
  .existing();
