/** JSON text that is the same for equal values, of any depth, with an optional maximum length. */
import {
  isJsonArray,
  isJsonObject,
  isRawNumber,
  type JsonObject,
  type JsonValue,
  numberText,
  type RawNumber,
} from '../json.ts';
import { parseDecimal, unitsText } from './decimal.ts';

export type JsonTextOptions = {
  /** Sorts the keys of every object, so that equal objects give equal text. @default false */
  readonly sortKeys?: boolean;
  /** Stops soon after this many characters. @default Infinity */
  readonly maxLength?: number;
};

/** An array or object whose first `index` elements are written. */
type Frame = {
  readonly values: readonly JsonValue[] | JsonObject;
  readonly keys: readonly string[] | undefined;
  index: number;
};

/** The value as JSON text without blanks; equal numbers have the same spelling. */
export function jsonText(value: JsonValue, options: JsonTextOptions = {}): string {
  const { sortKeys = false, maxLength = Infinity } = options;
  const frames: Frame[] = [];
  let text = begin(value, frames, sortKeys);
  while (text.length < maxLength) {
    const frame = frames.at(-1);
    if (frame === undefined) break;
    text += step(frame, frames, sortKeys);
  }
  return text;
}

/** A number as plain decimal text without exponent or trailing zeros. */
export function canonicalNumber(value: number | RawNumber): string {
  const text = numberText(value);
  if (Number.isSafeInteger(value)) return text;
  const decimal = parseDecimal(text);
  if (decimal === undefined) return text;
  const scale = Math.max(0, -decimal.exponent);
  const plain = unitsText(decimal.coefficient * 10n ** BigInt(Math.max(0, decimal.exponent)), scale);
  return scale === 0 ? plain : plain.replace(/\.?0+$/, '');
}

/** A scalar's text, or a container's opening bracket. */
function begin(value: JsonValue, frames: Frame[], sortKeys: boolean): string {
  if (isJsonArray(value)) {
    frames.push({ values: value, keys: undefined, index: 0 });
    return '[';
  }
  if (isJsonObject(value)) {
    const keys = Object.keys(value);
    frames.push({ values: value, keys: sortKeys ? keys.toSorted() : keys, index: 0 });
    return '{';
  }
  return typeof value === 'number' || isRawNumber(value) ? canonicalNumber(value) : JSON.stringify(value);
}

/** The next element of the innermost container, or its closing bracket. */
function step(frame: Frame, frames: Frame[], sortKeys: boolean): string {
  const { values, keys, index } = frame;
  frame.index += 1;
  const comma = index > 0 ? ',' : '';
  if (isJsonArray(values)) {
    if (index < values.length) return comma + begin(values[index] ?? null, frames, sortKeys);
    frames.pop();
    return ']';
  }
  const key = keys?.[index];
  if (key !== undefined) {
    return `${comma}${JSON.stringify(key)}:${begin(values[key] ?? null, frames, sortKeys)}`;
  }
  frames.pop();
  return '}';
}
