import { day } from '../../../config/setting-types.ts';
import { UsageError } from '../../../errors.ts';

/** The days of `--from` and `--to`. @throws UsageError when one is invalid, or they are in the wrong order */
export function dayRangeOption(options: { readonly from?: string; readonly to?: string }): {
  readonly from: Temporal.PlainDate | undefined;
  readonly to: Temporal.PlainDate | undefined;
} {
  const from = options.from === undefined ? undefined : dayOption('--from', options.from);
  const to = options.to === undefined ? undefined : dayOption('--to', options.to);
  if (from && to && Temporal.PlainDate.compare(from, to) > 0) {
    throw new UsageError(`--from ${from.toString()} is later than --to ${to.toString()}`);
  }
  return { from, to };
}

/** @throws UsageError when it is no day */
export function dayOption(name: string, text: string): Temporal.PlainDate {
  const { data, error } = day.safeParse(text);
  if (data === undefined)
    throw new UsageError(`${name} ${text} ${error?.issues[0]?.message ?? 'is invalid'}`);
  return data;
}
