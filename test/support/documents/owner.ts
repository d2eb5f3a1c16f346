/** Of the commands with which the owner says what codes mean, and which order fields are shown. */
import { z } from 'zod';

import { ORDER_STAGES } from '../../../src/order-stages.ts';
import { count, flag, instant, list, noError, shop, text } from './common.ts';

const orderField = z.strictObject({
  key: text('key of the field'),
  orders: count('orders that have a value in it'),
  customers: count('customers of these orders'),
  reason: z
    .enum(['shown by owner', 'hidden by owner', 'waiting'])
    .describe('whether `bi` shows its values, and who said so; `waiting`: hidden, since nobody decided'),
});

/** A line of `fields`. */
export const fieldsDocument = z.strictObject({
  shop,
  fields: list(orderField, 'extra order fields, the most used first'),
  unlisted: count('other fields: their keys look like none, and may hold a person'),
  waiting: count('fields that are hidden until the owner decides, unlisted ones included'),
});

/** The line of `fields show` and `fields hide`. */
export const fieldChangeDocument = z.strictObject({
  shop,
  status: z.literal('ok'),
  error: noError,
  key: text('key of the field'),
  is_shown: flag('whether `bi` shows it from now on'),
  orders: count('orders that have a value in it'),
  waiting: count('fields that are still hidden until the owner decides'),
});

const setBy = z
  .enum(['documentation', 'owner', 'nobody'])
  .describe("who said so; `nobody`: a code of the shop's own that has no meaning yet");
const hidden = z
  .strictObject({
    codes: count('how many'),
    orders: count('orders that have one of them'),
  })
  .describe('codes that `bi` does not show: they look like none, and may hold a person');
const paymentStatus = z.strictObject({
  code: text('code as the shop sends it; empty: none'),
  name: text('name in `bi`'),
  orders: count('orders that have it now'),
  set_by: setBy,
});
const orderStatus = paymentStatus.extend({
  stage: z.enum(ORDER_STAGES).describe('stage of these orders'),
  stage_order: z.int().describe('position in the usual course of an order; null: none').nullable(),
  is_sale: flag('whether these orders count as revenue'),
});

/** A line of `statuses`. */
export const statusesDocument = z.strictObject({
  shop,
  statuses: list(orderStatus, 'order statuses, in the usual course of an order'),
  hidden,
  payment_statuses: list(paymentStatus, 'payment statuses'),
  hidden_payments: hidden,
});

/** The line of `statuses set`. */
export const statusChangeDocument = paymentStatus.extend({
  shop,
  status: z.literal('ok'),
  error: noError,
  kind: z.enum(['order', 'payment']).describe('kind of the status'),
  stage: orderStatus.shape.stage.nullable().describe('stage of these orders; null: a payment status'),
  stage_order: orderStatus.shape.stage_order,
  is_sale: orderStatus.shape.is_sale
    .nullable()
    .describe('whether they count as revenue; null: a payment status'),
});

/** A line of `shops`. */
export const shopsDocument = z.strictObject({
  shop,
  base_url: text('address of the shop'),
  timezone: text("IANA zone of the shop's times"),
  orders: count('orders, without deleted ones'),
  retired_at: instant('when it was retired; null: it is synced').nullable(),
  paused_at: instant('since when it is paused; null: it is not').nullable(),
  deletion_started_at: instant('when its deletion began; null: it did not').nullable(),
  is_configured: flag('whether the settings name it'),
});

/** The line of `pause`, `resume`, `shops retire`, `restore`, `rename`, `set-timezone` and `delete`. */
export const shopChangeDocument = z.strictObject({
  shop: text('key of the shop, after a change of the key the new one'),
  status: z.enum(['ok', 'partial']),
  error: noError,
  change: z
    .enum(['paused', 'resumed', 'retired', 'restored', 'renamed', 'timezone set', 'deleted'])
    .describe('what was done'),
  rows: z
    .record(z.string(), count('rows'))
    .nullable()
    .describe('rows that were deleted, by table; null for other changes'),
  records: count('records that were read again with the new time zone; null for other changes').nullable(),
});
