/** What `fetch` prints: records as the shop has them, named as the columns of the warehouse. */
import { z } from 'zod';

import { count, flag, list, text } from './common.ts';

const column = (meaning: string) => text(meaning).nullable();
const person = (meaning: string) => text(`${meaning}; with \`--pii\` only`).nullable().optional();
const time = (what: string) => column(`when it was ${what}, in the shop's own time`);

export const fetchedOrder = z.strictObject({
  order_id: text('number of the order'),
  created_local: time('placed'),
  updated_local: time('last changed'),
  status_code: text('order status'),
  pay_status_code: text('payment status'),
  currency: column('currency'),
  order_sum: column('order sum'),
  paid_amount: column('amount paid'),
  item_count: column('count of its items'),
  delivery_name: column('delivery'),
  buyer_oid: column("the buyer's number"),
  color: column('colour'),
  buyer_name: person("the buyer's name"),
  buyer_email: person("the buyer's e-mail address"),
  buyer_phone: person("the buyer's phone number"),
  buyer_address: person("the buyer's postal address"),
  comment: person("the buyer's comment"),
});

const line = z.strictObject({
  order_id: text('number of the order'),
  line_no: count('place of the line, from 1'),
  line_oid: column('product and chosen specifications'),
  product_oid: column('number of the product'),
  spec_hash: column('chosen specifications'),
  code: column('code of the line'),
  product_name: column('name of the product'),
  sku: column('article number'),
  quantity: column('quantity'),
  unit_price: column('price of one, after discount'),
  line_total: column('total, after discount'),
  list_price: column('price of one, before discount'),
  list_total: column('total, before discount'),
  discount_raw: column('discount, as the shop sends it'),
  discount_percent: column('discount in percent'),
});

const difference = z.strictObject({
  line_no: count('line; 0: the order itself'),
  column_name: text('column'),
  shop: column('as the shop has it'),
  warehouse: column('as the warehouse has it'),
});

export const fetchedOrderWithLines = z.strictObject({
  order_id: text('number of the order'),
  is_stored: flag('the warehouse has it'),
  order: fetchedOrder
    .nullable()
    .describe(
      'the order; null: the shop does not list it where the warehouse says it was placed, or has no such order',
    ),
  lines: list(line, 'its lines; null: the shop has no such order').nullable(),
  differences: list(difference, 'where the warehouse has it otherwise'),
});

export const fetchedUser = z.strictObject({
  user_oid: text('number of the user'),
  group_oid: column('number of the group'),
  owner_oid: column('number of the owner'),
  visible: column('as the shop sends it'),
  access: column('as the shop sends it'),
  created_local: time('created'),
  updated_local: time('last changed'),
  created_at: column('when it was created, in UTC'),
  level: count('level').nullable(),
  login: person('login'),
  email: person('e-mail address'),
  phone: person('phone number'),
  name: person('name'),
  org_name: person('organization'),
  gender: person('gender'),
  address: person('address'),
});

export const fetchedGroup = z.strictObject({
  group_oid: text('number of the group'),
  parent_oid: column('number of the group above'),
  name: column('name'),
  url: column('part of its address'),
  type: column('as the shop sends it'),
  template: column('template'),
  visible: column('as the shop sends it'),
  sort: count('place within the group above').nullable(),
  owner_oid: column('number of the owner'),
  access: column('as the shop sends it'),
  created_local: time('created'),
  updated_local: time('last changed'),
});
