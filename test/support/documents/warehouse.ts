/** Of the commands that need the warehouse only. */
import { z } from 'zod';

import { count, flag, instant, list, noError, problems, shop, text } from './common.ts';

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
  applied: count('migrations, functions and views that were applied'),
  migrations: list(z.string(), 'names of the migrations that were applied'),
  functions: list(z.string(), 'names of the functions that were applied'),
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
    missing_orders: count('orders that the shop no longer lists, and that are not known to be deleted'),
    confirmed_at: instant(
      'when the last of them is looked for once more, and counts as deleted unless it is listed; null: there are none',
    ).nullable(),
  }),
  'shops that are not verified throughout; none: every figure is that of the shop',
);

/** What `sql` prints. */
export const resultDocument = z.strictObject({
  rows: list(
    z.looseObject({}),
    'rows of the result, with its columns as keys; numbers, true and false, JSON and NULL as such, all else as texts',
  ),
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
