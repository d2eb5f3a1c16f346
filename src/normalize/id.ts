/** Identifiers: 64-bit integers, as decimal text so that no digit is lost. */
import { isRawNumber, type JsonValue } from '../model/json.ts';
import { accepted, type Reading, refused } from './record-reader.ts';

export const NOT_AN_ID = 'not a whole number in the range of 64 bits';

/** Leading zeros are bounded, which bounds the work for huge text. */
const ID = /^(-?)0{0,99}(\d{1,19})$/;
const LIMIT = 2n ** 63n;

/** Reads an identifier from a number or from digits; blanks and leading zeros are dropped. */
export function parseId(value: JsonValue): Reading<string> {
  const id = idText(value);
  return id === undefined ? refused(NOT_AN_ID) : accepted(id);
}

function idText(value: JsonValue): string | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value).toString() : undefined;
  if (isRawNumber(value)) return parseDigits(value.rawJSON);
  return typeof value === 'string' ? parseDigits(value.trim()) : undefined;
}

function parseDigits(text: string): string | undefined {
  const [, sign, digits] = ID.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const id = BigInt(`${sign}${digits}`);
  return id >= -LIMIT && id < LIMIT ? id.toString() : undefined;
}
