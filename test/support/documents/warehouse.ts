/** Of the commands that need the warehouse only. */
import { z } from 'zod';

import { count, day, flag, instant, list, noError, problems, shop, sum, text } from './common.ts';

export const rejectionsDocument = z.strictObject({
  shop,
  resource: z.enum(['order', 'content', 'user', 'group']).describe('kind of the records'),
  field: text('field of the records; null: they could not be loaded at all').nullable(),
  reason: text('why it could not be read'),
  open: count('records that need attention'),
  resolved: count('records that need none any more; 0 without `--all`'),
  seen: count('how often they were seen'),
  first_seen_at: instant('when that was first seen'),
  last_seen_at: instant('when that was last seen'),
  sample: z
    .strictObject({
      source_key: text('number of the record; null: it has none, or it is no number').nullable(),
      value: text('its value, or only its shape; null: it has none').nullable(),
    })
    .describe('the latest of them'),
});

export const replayDocument = z.strictObject({
  shop,
  status: z.enum(['ok', 'partial']),
  error: noError,
  normalizer_version: count('version of the normalizers'),
  resumed_from: z
    .strictObject({
      stage: text('kind of the records'),
      after: text('the last record that was done; null: none').nullable(),
      records_done: count('records that were done'),
    })
    .nullable()
    .describe('where an earlier replay had stopped; null: nowhere'),
  records: count('records that were normalized again'),
  orders_added: count('orders loaded for the first time'),
  orders_changed: count('orders that were corrected'),
  lines_changed: count('order lines that were corrected'),
  users_changed: count('users that were corrected'),
  groups_changed: count('groups that were corrected'),
  rejections_new: count('new rejections'),
  rejections_resolved: count('rejections that were resolved'),
  rejections_open: count('rejections that are open now'),
  seconds: z.number().min(0).describe('time taken'),
  problems,
});

export const forgetDocument = z.strictObject({
  shop,
  status: z.literal('ok'),
  error: noError,
  dry_run: flag('nothing was written'),
  accounts: count('accounts of the person'),
  identifiers: count('identifiers that are remembered by their hashes'),
  shared_contacts: count('contacts that others use too; they stay'),
  orders: count('orders of the person, which are stored without the person'),
  mentions: count('records of others that lost a contact of the person'),
});

export const migrateDocument = z.strictObject({
  status: z.literal('ok'),
  error: noError,
  applied: count('migrations and views that were applied'),
  migrations: list(z.string(), 'names of the migrations that were applied'),
  views: list(z.string(), 'names of the views that were applied'),
});

const daySpan = z.strictObject({
  from: text('first day; null: all days up to `to`').nullable(),
  to: text('last day'),
});

const unverified = list(
  z.strictObject({
    shop,
    first_day: text('first day that was ever to be synchronized; null: none was').nullable(),
    last_day: text("today, in the shop's time zone"),
    days: list(daySpan, 'days that are not verified, so that figures of them may be incomplete'),
    line_days: list(daySpan, 'these, and days of orders whose lines are not up to date'),
  }),
  'shops that are not verified throughout; none: every figure is that of the shop',
);

/** What `sql` prints. */
export const resultDocument = z.strictObject({
  rows: list(z.looseObject({}), 'rows of the result, with its columns as keys'),
  unverified,
});

export const exportDocument = z.strictObject({
  status: z.literal('ok'),
  error: noError,
  folder: text('where the files are'),
  format: z.enum(['parquet', 'csv']).describe('of the files'),
  files_written: count('files that are new or changed'),
  files_unchanged: count('files that were left as they are'),
  files_removed: count('files that were removed, since none of their rows is left'),
  rows: count('rows of the files that were written'),
  bytes: count('size of the files that were written'),
  seconds: z.number().min(0).describe('time taken'),
  unverified,
});

const figures = {
  orders: z.int().describe('sales'),
  revenue: sum('sum of their totals'),
  paid_amount: sum('paid of it'),
  items: z.int().describe('their items'),
  cancelled_orders: z.int().describe('cancelled orders'),
  returned_orders: z.int().describe('returned orders'),
  draft_orders: z.int().describe('orders that were still being placed'),
  other_orders: z.int().describe('all other orders'),
};

export const explainDocument = z.strictObject({
  shop,
  status: z.literal('ok'),
  error: noError,
  report: z.literal('daily_sales').describe('the report'),
  day: day('the day of the report'),
  since: instant('when it said what `was` has'),
  currencies: list(
    z.strictObject({
      currency: text('null: the shop sent none').nullable(),
      was: z.strictObject(figures).describe('what the report said then'),
      now: z.strictObject(figures).describe('what it says now'),
      change: z.strictObject(figures).describe('the difference, which the orders add up to'),
    }),
    'what the report says of the day; none: nothing, then and now',
  ),
  orders: list(
    z.strictObject({
      order_id: text('number of the order'),
      currency: text('the amounts are in; null: the shop sent none').nullable(),
      cause: z
        .enum(['came late', 'edited', 'moved', 'deleted', 'returned', 'reclassified', 're-normalized'])
        .describe('why, as docs/bi.md explains it'),
      ...figures,
    }),
    'what each order adds or takes away, the largest amount first',
  ),
});

/** A line of `sql --views`. */
export const viewDocument = z.strictObject({
  view: text('its name, with the schema'),
  comment: text('what it holds'),
  columns: list(
    z.strictObject({
      name: text('name of the column'),
      type: text('its type in PostgreSQL'),
      comment: text('what it says, and when it is NULL'),
    }),
    'its columns, in their order',
  ),
});
