/** `/_sim`: lets other processes change the shop. Without authentication: for this machine only. */
import { type Context, Hono } from 'hono';
import { z } from 'zod';

import type { ApiDeps } from './answer.ts';
import { decimalText } from './wire-values.ts';
import type { SimLine, SimOrder } from '../shop/sim-order.ts';
import { FAULT_NAMES } from './simulated-faults.ts';

const CHUNK = 500;

const ROUTES = {
  'POST /_sim/orders': 'place an order; a JSON body may set its fields',
  'PATCH /_sim/orders/ID': 'change an order; without a body its status advances',
  'DELETE /_sim/orders/ID': 'delete an order',
  'POST /_sim/faults': '{"count": 3, "fault": "http-500", "route": "orders"}: fail the next requests',
  'POST /_sim/tick': 'place some orders and advance some statuses',
  'GET /_sim/requests': 'requests by route; DELETE resets the counts',
  'GET /_sim/truth': 'every order in its true state, one JSON object per line',
};

/**
 * Serves `ROUTES`. Bodies are JSON, an empty one is `{}`; a bad one is answered with 400 and the reason.
 */
export function makeAdmin({ faults, requests, shop }: ApiDeps): Hono {
  const admin = new Hono();
  admin.get('/', (c) => c.json(ROUTES));
  admin.post('/orders', async (c) => {
    const change = await readBody(c, changeSchema);
    return c.json(truthRecord(shop.insertOrder(change)), 201);
  });
  admin.patch('/orders/:id', async (c) => {
    const change = await readBody(c, changeSchema);
    const isUsual = Object.keys(change).length === 0;
    return c.json(truthRecord(shop.editOrder(Number(c.req.param('id')), isUsual ? undefined : change)));
  });
  admin.delete('/orders/:id', (c) => {
    shop.deleteOrder(Number(c.req.param('id')));
    return c.body(null, 204);
  });
  admin.post('/faults', async (c) => {
    const { count, fault, ...options } = await readBody(c, faultSchema);
    faults.failNext(count, fault, options);
    return c.json({ pending: faults.pending() });
  });
  admin.post('/tick', async (c) => {
    const { now, newOrders, edits } = await readBody(c, tickSchema);
    shop.tick(now, { newOrders, edits });
    return c.json({ now: shop.now().toString(), orders: shop.orders().length });
  });
  admin.get('/requests', (c) => c.json(requests.counts()));
  admin.delete('/requests', (c) => {
    requests.reset();
    return c.body(null, 204);
  });
  admin.get('/truth', (c) =>
    c.body(ReadableStream.from(truthLines(shop.orders())), 200, { 'Content-Type': 'application/x-ndjson' }),
  );
  admin.onError((error, c) => {
    if (error instanceof z.ZodError) return c.json({ message: z.prettifyError(error) }, 400);
    if (error instanceof SyntaxError) return c.json({ message: 'the body is not JSON' }, 400);
    if (error instanceof RangeError) return c.json({ message: error.message }, 404);
    return c.json({ message: 'the simulator failed' }, 500);
  });
  return admin;
}

async function readBody<Schema extends z.ZodType>(c: Context, schema: Schema): Promise<z.output<Schema>> {
  const text = await c.req.text();
  return schema.parse(text.trim() === '' ? {} : JSON.parse(text));
}

function* truthLines(orders: readonly SimOrder[]) {
  const encoder = new TextEncoder();
  for (let at = 0; at < orders.length; at += CHUNK) {
    const chunk = orders.slice(at, at + CHUNK);
    yield encoder.encode(chunk.map((order) => `${JSON.stringify(truthRecord(order))}\n`).join(''));
  }
}

/** A true order. Amounts are decimal text with two digits, weights with three; local times are ISO 8601 without offset. */
export function truthRecord(order: SimOrder): Readonly<Record<string, unknown>> {
  return { ...trueValues(order), lines: order.lines.map(trueValues) };
}

/** Fields whose names end so hold a number of these: they are written as decimals with so many digits. */
const UNITS = Object.entries({ Cents: 2, Grams: 3 });

function trueValues(record: SimOrder | SimLine): Readonly<Record<string, unknown>> {
  const entries = Object.entries(record).map(([name, value]: [string, unknown]) => {
    if (value instanceof Temporal.PlainDateTime) return [name, value.toString({ smallestUnit: 'second' })];
    const unit = UNITS.find(([ending]) => name.endsWith(ending));
    if (unit === undefined || typeof value !== 'number') return [name, value];
    return [name.slice(0, -unit[0].length), decimalText(value, unit[1])];
  });
  return Object.fromEntries(entries);
}

const text = z.string().exactOptional();
const cents = z.int().min(0).exactOptional();
const localTime = z.iso.datetime({ local: true }).transform((text) => Temporal.PlainDateTime.from(text));

/** Fields of an order to set; amounts are whole cents, local times ISO 8601 without offset. */
const changeSchema = z.strictObject({
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

const faultSchema = z.strictObject({
  count: z.int().min(1).default(1),
  fault: z.enum(FAULT_NAMES),
  route: z.enum(['auth', 'groups', 'users', 'orders', 'order']).optional(),
  retryAfter: z.union([z.number(), z.string()]).optional(),
  delayMs: z.int().min(0).optional(),
});

/** `now` is an instant, such as `2026-03-01T09:00:00Z`. */
const tickSchema = z.strictObject({
  now: z.iso
    .datetime({ offset: true })
    .transform((text) => Temporal.Instant.from(text))
    .optional(),
  newOrders: z.int().min(0).default(2),
  edits: z.int().min(0).default(5),
});
