/** What `/_sim` accepts. */
import { z } from 'zod';

import { type Dialect, readSwitch } from '../shop/dialect.ts';
import { FAULT_NAMES } from './simulated-faults.ts';

const text = z.string().exactOptional();
const cents = z.int().min(0).exactOptional();
const localTime = z.iso.datetime({ local: true }).transform((text) => Temporal.PlainDateTime.from(text));

/** Fields of an order to set; amounts are whole cents, local times ISO 8601 without offset. */
export const changeSchema = z.strictObject({
  createdLocal: localTime.exactOptional(),
  createdText: z.string().nullable().exactOptional(),
  updatedLocal: localTime.exactOptional(),
  status: text,
  payStatus: text,
  color: text,
  currency: text,
  payMethod: text,
  sumCents: cents,
  paidCents: cents,
  discount: text,
  deliveryName: text,
  deliveryId: z.int().exactOptional(),
  deliveryPriceCents: cents,
  comment: text,
  fio: text,
  email: text,
  phone: text,
  address: text,
  buyerOid: z.int().exactOptional(),
});

export const faultSchema = z.strictObject({
  count: z.int().min(1).default(1),
  fault: z.enum(FAULT_NAMES),
  route: z.enum(['auth', 'groups', 'users', 'orders', 'order']).optional(),
  retryAfter: z.union([z.number(), z.string()]).optional(),
  delayMs: z.int().min(0).optional(),
});

/** `now` is an instant, such as `2026-03-01T09:00:00Z`. */
export const tickSchema = z.strictObject({
  now: z.iso
    .datetime({ offset: true })
    .transform((text) => Temporal.Instant.from(text))
    .optional(),
  newOrders: z.int().min(0).default(2),
  edits: z.int().min(0).default(5),
});

/** Switches of the dialect with their values. */
export const dialectSchema = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
  .transform((switches, context): Partial<Dialect> => {
    try {
      const read = Object.entries(switches).map(([name, value]) => readSwitch(name, String(value)));
      return read.reduce((dialect, one) => ({ ...dialect, ...one }), {});
    } catch (error) {
      context.addIssue(error instanceof Error ? error.message : 'unknown switch');
      return z.NEVER;
    }
  });

/** A `cap` of null removes it. */
export const pagesSchema = z.strictObject({
  cap: z.int().min(1).nullable().exactOptional(),
  bytes: z.int().min(1).exactOptional(),
});

export const refusalSchema = z.strictObject({
  what: z.enum(['order', 'row', 'user', 'groups']),
  id: z.int().exactOptional(),
});
