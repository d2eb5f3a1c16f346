/** What the JSON documents of several commands have in common. */
import { z } from 'zod';

export const count = (meaning: string) => z.int().min(0).describe(meaning);
export const text = (meaning: string) => z.string().describe(meaning);
export const flag = (meaning: string) => z.boolean().describe(meaning);
export const list = <Item extends z.ZodType>(item: Item, meaning: string) =>
  z.array(item).readonly().describe(meaning);

/** `2026-01-31` */
export const day = (meaning: string) => z.iso.date().describe(meaning);

/** `2026-01-31T12:00:00.123Z` */
export const instant = (meaning: string) => z.iso.datetime({ precision: null }).describe(meaning);

/** A decimal with two digits after the point: text, so that no digit is lost. */
export const sum = (meaning: string) =>
  z
    .string()
    .regex(/^-?\d+\.\d{2}$/)
    .describe(meaning);

export const shop = text('key of the shop');
export const noError = z.null().describe('always null here; a line with `status` `failed` has a sentence');
export const problems = list(z.string(), 'why it is partial, a sentence each');

/** The line of a shop, or of a whole command, that failed. */
export const failure = z.strictObject({
  shop: z.string().nullable().describe('key of the shop; null: the command failed before or after its shops'),
  status: z.enum(['failed', 'interrupted']).describe('`interrupted`: by a signal, such as Ctrl-C'),
  error: text('what went wrong, and what to do about it'),
});

/** How requests to a shop are throttled. */
export const throttle = z.strictObject({
  concurrency: count('requests at once, at the end of the last run'),
  lowest_concurrency: count('fewest requests at once that the shop was down to'),
  max_concurrency: count('most requests at once, by the settings'),
  max_rps: z.number().positive().describe('most requests per second, by the settings'),
  found_rps: z
    .number()
    .positive()
    .nullable()
    .describe('requests per second that the shop takes; null: it was not seen to refuse more'),
  limited_by: z
    .enum(['rate', 'slowness', 'failures'])
    .nullable()
    .describe('what keeps the pace below the settings: the shop refuses more, answers more slowly, or fails'),
  circuit: z
    .enum(['closed', 'open', 'half-open'])
    .describe('`closed`: the shop answers; `open`: it does not; `half-open`: a request finds out'),
  paused_until: instant('end of the pause that the shop requested; null: none').nullable(),
});

/** Counts that are suspended because they were wrong. */
export const suspendedCounts = list(
  z.strictObject({
    facet: text('the count, such as `status A`'),
    reason: text('why it was suspended'),
    until: instant('when it is requested again'),
  }),
  'counts that are not requested because they were wrong',
);

/** What a load takes, as estimated. */
export const estimate = z.strictObject({
  orders: count('orders to load'),
  requests: count('requests that takes, without those for user groups, which are one for each'),
  seconds: count('time that takes'),
  bytes: count('space that takes in the database'),
});

/** The counters of a sweep or another run. */
export const runCounts = {
  requests: count('requests to the shop, retries not counted'),
  list_requests: count('requests for the order list'),
  content_requests: count('requests for the lines of an order'),
  user_requests: count('requests for a user'),
  retries: count('requests that were repeated'),
  days_verified: count('days that were verified'),
  orders_seen: count('orders in the days that were read'),
  orders_new: count('orders loaded for the first time'),
  orders_changed: count('orders that had changed'),
  orders_missing: count('orders that the shop no longer has'),
  rejections: count('records and fields that could not be read'),
} as const;
