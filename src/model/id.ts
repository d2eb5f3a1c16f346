/** Identifiers of the shop's records. */
import { isRawNumber, type JsonValue } from './json.ts';

/** Leading zeros are bounded, which bounds the work for huge text. */
const ID = /^(-?)0{0,99}(\d{1,19})$/;
const LIMIT = 2n ** 63n;

/**
 * The digits of a whole number in the range of 64 bits, sent as a number or as text; blanks and leading zeros are dropped.
 * Undefined for anything else.
 */
export function readId(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value).toString() : undefined;
  const text = isRawNumber(value) ? value.rawJSON : value;
  const [, sign, digits] = (typeof text === 'string' && ID.exec(text.trim())) || [];
  if (digits === undefined) return undefined;
  const id = BigInt(`${sign}${digits}`);
  return id >= -LIMIT && id < LIMIT ? id.toString() : undefined;
}
