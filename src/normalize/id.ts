/** Identifiers: whole numbers of 64 bits, kept as decimal text so that no digit is lost. */
import { isRawNumber, type JsonValue } from '../json.ts';
import { accepted, type Reading, refused } from './reading.ts';

export const NOT_AN_ID = 'not a whole number in the range of 64 bits';

/** The number of leading zeros is bounded, and with it the work for a text of millions. */
const ID = /^(-?)0{0,99}(\d{1,19})$/;
const LIMIT = 2n ** 63n;

/** Reads an identifier from a number or from digits with blanks around them; leading zeros are dropped. */
export function parseId(value: JsonValue): Reading<string> {
  const id = idText(value);
  return id === undefined ? refused(NOT_AN_ID) : accepted(id);
}

function idText(value: JsonValue): string | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value).toString() : undefined;
  if (isRawNumber(value)) return digitsOf(value.rawJSON);
  return typeof value === 'string' ? digitsOf(value.trim()) : undefined;
}

function digitsOf(text: string): string | undefined {
  const [, sign, digits] = ID.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const id = BigInt(`${sign}${digits}`);
  return id >= -LIMIT && id < LIMIT ? id.toString() : undefined;
}
