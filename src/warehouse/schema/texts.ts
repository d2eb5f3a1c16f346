/**
 * Every column of text, and who writes into it. A column that is missing here does not compile: whoever adds one decides whether
 * somebody can type a person into it.
 */
import type { PgTable } from 'drizzle-orm/pg-core';

import type * as alerts from './alerts.ts';
import type * as ops from './ops.ts';
import type * as orders from './orders.ts';
import type * as raw from './raw.ts';
import type * as shopState from './shop-state.ts';
import type * as shops from './shops.ts';
import type * as summaries from './summaries.ts';
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

type Writer =
  | SearchedText
  /** It stays with the person, where it is deleted with the person. */
  | 'person'
  /** Copied from columns that were searched. */
  | 'copy'
  /** The program itself, or the owner of the warehouse. */
  | 'program';

type Schema = typeof alerts &
  typeof ops &
  typeof orders &
  typeof raw &
  typeof shopState &
  typeof shops &
  typeof summaries &
  typeof users;

type OfText = { readonly columnType: 'PgText' };
type OfTexts = { readonly columnType: 'PgArray'; readonly baseColumn: { readonly _: OfText } };

type TextColumn<Table extends PgTable> = {
  [Name in keyof Table['_']['columns']]: Table['_']['columns'][Name]['_'] extends OfText | OfTexts
    ? Name
    : never;
}[keyof Table['_']['columns']];

type Writers = {
  readonly [
    Name in keyof Schema as Schema[Name] extends PgTable
      ? [TextColumn<Schema[Name]>] extends [never]
        ? never
        : Name
      : never
  ]: Schema[Name] extends PgTable ? Readonly<Record<TextColumn<Schema[Name]>, Writer>> : never;
};

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
  orderPersons: {
    buyer_name: 'person',
    buyer_email: 'person',
    buyer_phone: 'person',
    buyer_address: 'person',
    comment: 'person',
  },
  userPersons: {
    login: 'person',
    email: 'person',
    phone: 'person',
    name: 'person',
    org_name: 'person',
    gender: 'person',
    address: 'person',
  },
  orderStatuses: {
    status_code: 'copy',
    name: 'copy',
    name_local: 'program',
    stage: 'program',
    shown_code: 'copy',
    shown_name: 'copy',
  },
  paymentStatuses: {
    pay_status_code: 'copy',
    name: 'copy',
    name_local: 'program',
    shown_code: 'copy',
    shown_name: 'copy',
  },
  statusVersions: { status_code: 'copy', stage: 'program' },
  orderHistory: { status_code: 'copy', pay_status_code: 'copy' },
  orderVersions: { currency: 'copy', status_code: 'copy', customer_key: 'program' },
  dailySums: { currency: 'copy' },
  staleSums: { customer_key: 'program' },
  customerSums: { customer_key: 'program', currency: 'copy' },
  productMonths: { skus: 'copy' },
  statusPaths: { status_code: 'copy', earlier: 'copy', currency: 'copy', source: 'person' },
  viewChanges: { kind: 'program', key: 'program' },
  shops: { shop_key: 'program', base_url: 'program', timezone: 'program' },
  // The owner of the warehouse shows a field by its key.
  orderFormFields: { field_key: 'program' },
  // Of an account: its number.
  rawUsers: { user_key: 'program' },
  days: { last_error: 'program' },
  runs: { kind: 'program', status: 'program', error: 'program', version: 'program' },
  leases: { holder: 'program' },
  due: { kind: 'program', key: 'program', reason: 'program' },
  // Of a value its shape alone.
  rejections: {
    resource: 'program',
    source_key: 'program',
    field: 'program',
    reason: 'program',
    value: 'program',
    digest: 'program',
  },
  guestSecrets: { secret: 'program', digest: 'program' },
  erasures: { identifier_hash: 'program' },
  migrations: { name: 'program', hash: 'program', version: 'program' },
  // Names of fields as a schema has them, which are forgotten with a person.
  payloadFields: { resource: 'program', field: 'program' },
  alerts: { cause: 'program', text: 'program' },
  shopState: {
    total_meaning: 'program',
    limited_by: 'program',
    circuit: 'program',
    line_relations: 'program',
    privacy_policy: 'program',
  },
} as const satisfies Writers;
