/** What was typed behind a command, as values. */
import type { z } from 'zod';

import { day, text } from '../config/setting-types.ts';
import { UsageError } from '../model/errors.ts';

/** What Commander read: options with a text, and switches. */
export type CommandOptions<Texts extends string, Switches extends string = never> = {
  readonly [Name in Texts]?: string;
} & { readonly [Name in Switches]?: boolean };

/** @param name stands before the value in the message. @throws UsageError where it is no such value */
export function readAs<Value>(type: z.ZodType<Value>, given: string, name = ''): Value {
  const { data, error } = type.safeParse(given);
  if (data !== undefined) return data;
  throw new UsageError(`${name} ${given} ${error?.issues[0]?.message ?? 'is invalid'}`.trimStart());
}

/** @returns undefined where the option was not typed. @throws UsageError */
export const readOption = <Value>(type: z.ZodType<Value>, given: string | undefined, name: string) =>
  given === undefined ? undefined : readAs(type, given, name);

export const orderId = text.regex(/^[1-9]\d{0,18}$/, 'must be a number, such as 100017');
export const amount = text.regex(/^-?\d+(\.\d+)?$/, 'must be an amount, such as 99.90');

/** The days of `--from` and `--to`. @throws UsageError */
export function readDays(options: CommandOptions<'from' | 'to'>) {
  const from = readOption(day, options.from, '--from');
  const to = readOption(day, options.to, '--to');
  if (from && to && Temporal.PlainDate.compare(from, to) > 0) {
    throw new UsageError(`--from ${from.toString()} is later than --to ${to.toString()}`);
  }
  return { from, to };
}
