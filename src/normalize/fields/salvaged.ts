/** What could be read of damaged fields. */
import type { JsonValue } from '../../model/json.ts';

export type Salvaged = {
  /** Null where they are said to be none. */
  readonly value: JsonValue;
  /** One sentence for each part that could not be read; by its place, since a key may name a person. */
  readonly problems: readonly string[];
};

export const sizeOf = ({ value }: Salvaged) => Object.keys(value ?? {}).length;

export const TOO_DEEP = 'nested deeper than 32 levels';

/** @param at from 1 */
export function leftOut(at: number, reason: string, isLast = false): string {
  return `entry ${at} ${isLast ? 'and all after it were' : 'was'} left out: ${reason}`;
}
