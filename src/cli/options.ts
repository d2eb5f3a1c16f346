/** What was typed behind a command, as values. All of them throw UsageError where it is none. */
import type { z } from 'zod';

import { day } from '../config/setting-types.ts';
import { UsageError } from '../model/errors.ts';
import { parseId } from '../normalize/numbers.ts';

/** What Commander read: options with a text, and switches. */
export type Given<Texts extends string, Switches extends string = never> = {
  readonly [Name in Texts]?: string;
} & { readonly [Name in Switches]?: boolean };

/** @param name stands before the value in the message */
export function readAs<Value>(type: z.ZodType<Value>, given: string, name = ''): Value {
  const { data, error } = type.safeParse(given);
  if (data !== undefined) return data;
  throw new UsageError(`${name} ${given} ${error?.issues[0]?.message ?? 'is invalid'}`.trimStart());
}

const readDay = (name: string, given: string) => readAs(day, given, name);

/** The days of `--from` and `--to`. */
export function readDays(options: Given<'from' | 'to'>): {
  readonly from: Temporal.PlainDate | undefined;
  readonly to: Temporal.PlainDate | undefined;
} {
  const from = options.from === undefined ? undefined : readDay('--from', options.from);
  const to = options.to === undefined ? undefined : readDay('--to', options.to);
  if (from && to && Temporal.PlainDate.compare(from, to) > 0) {
    throw new UsageError(`--from ${from.toString()} is later than --to ${to.toString()}`);
  }
  return { from, to };
}

export function readOrderId(given: string): string {
  const { value } = parseId(given);
  if (value === null) throw new UsageError(`order ${given}: a number is expected, such as 100017`);
  return value;
}

/** @param expected the rest of the message */
export function readZone(given: string, expected: string): string {
  try {
    return Temporal.Now.zonedDateTimeISO(given).timeZoneId;
  } catch (cause) {
    throw new UsageError(`--timezone ${given} is ${expected}`, { cause });
  }
}
