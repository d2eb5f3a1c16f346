/**
 * Every column of text that the shop writes into, and what is looked for in it. A column that is missing here does not compile: whoever
 * adds one decides whether somebody can type a person into it.
 */
import type { PgTable } from 'drizzle-orm/pg-core';

import type * as orders from './orders.ts';
import type * as users from './users.ts';

/** Texts that come from the shop and are stored apart from persons, by what is looked for in them: see `normalize/privacy/find-persons.ts`. */
export type SearchedText =
  /** Typed into one record: a word of the person's name tells, and whatever may be a contact. */
  | 'note'
  /** The same where figures are common: a phone number must look like one. */
  | 'field'
  /** The same of a code, which cannot be null: another code stands for it. */
  | 'code'
  /** Of the catalogue or the settings, where first names and numbers are common. */
  | 'catalogue'
  /** Identifiers, which may be any number. */
  | 'key';

type Writer = SearchedText /** The program itself. */ | 'program';

/** The tables of what the shop sends, but for what stays with the person. */
type Tables = Pick<typeof orders, 'orders' | 'orderLines'> & Pick<typeof users, 'users' | 'userGroups'>;

type OfText = { readonly columnType: 'PgText' };
type OfTexts = { readonly columnType: 'PgArray'; readonly baseColumn: { readonly _: OfText } };

type TextColumn<Table extends PgTable> = {
  [Name in keyof Table['_']['columns']]: Table['_']['columns'][Name]['_'] extends OfText | OfTexts
    ? Name
    : never;
}[keyof Table['_']['columns']];

type Writers = { readonly [Name in keyof Tables]: Readonly<Record<TextColumn<Tables[Name]>, Writer>> };

export const TEXTS = {
  orders: {
    status_code: 'code',
    pay_status_code: 'code',
    color: 'note',
    currency: 'note',
    pay_method: 'note',
    discount_raw: 'field',
    delivery_name: 'note',
    order_hash: 'key',
    customer_key: 'program',
    fingerprint: 'program',
    lines_state: 'program',
  },
  orderLines: {
    line_oid: 'key',
    spec_hash: 'key',
    code: 'key',
    sku: 'key',
    product_name: 'catalogue',
    discount_raw: 'field',
  },
  users: { visible: 'field', access: 'field', fetch_state: 'program' },
  userGroups: {
    name: 'catalogue',
    url: 'catalogue',
    type: 'catalogue',
    template: 'catalogue',
    visible: 'catalogue',
    access: 'catalogue',
  },
} as const satisfies Writers;
