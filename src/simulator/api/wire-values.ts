/** Values as the API's dialect writes them. */
import type { JsonValue } from '../../model/json.ts';
import type { Dialect } from '../shop/dialect.ts';

/** Undefined is a field that is left out: `JSON.stringify` does that. */
export type WireValue = JsonValue | WireRecord | readonly WireRecord[] | undefined;
export type WireRecord = { readonly [field: string]: WireValue };

const ONLY_DIGITS = /^(?:0|[1-9]\d{0,14})$/;

export function wireValues(dialect: Dialect) {
  const isText = dialect.numbers === 'string';
  const emptyText = { 'empty-string': '', null: null, absent: undefined }[dialect.empty];
  const text = (value: string) => (value === '' ? emptyText : value);
  const textOrNumber = (value: string) => (ONLY_DIGITS.test(value) ? Number(value) : text(value));
  return {
    whole: (value: number) => (isText ? String(value) : value),
    money: (cents: number) => (isText ? decimalText(cents, 2) : cents / 100),
    // The API's unit is a thousand grams.
    weight: (grams: number) => (isText ? decimalText(grams, 3) : grams / 1000),
    text: dialect.digits === 'number' ? textOrNumber : text,
  };
}

/** `123450` with 2 digits is `1234.50`; exact for any whole number of units. */
export function decimalText(units: number, digits: number): string {
  const text = String(Math.abs(units)).padStart(digits + 1, '0');
  return `${units < 0 ? '-' : ''}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}
