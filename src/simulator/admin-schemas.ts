/** What `/_sim` accepts. */
import { z } from 'zod';

import { FAULT_NAMES } from './faults.ts';

const text = z.string().exactOptional();
const cents = z.int().min(0).exactOptional();
const localTime = z.iso.datetime({ local: true }).transform((text) => Temporal.PlainDateTime.from(text));

/** Fields of an order to set; amounts are whole cents, local times ISO 8601 without offset. */
export const changeSchema = z.strictObject({
  createdLocal: localTime.exactOptional(),
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
