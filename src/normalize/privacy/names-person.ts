/** Whether a text that is not meant to hold a person holds the one of the same record. */
import type { JsonObject } from '../../json.ts';

/** Whether a text of a record holds a person, although it is not meant to. */
export type IsPersonal = (text: string) => boolean;

/** Long enough to be looked for inside of words, since names are inflected; shorter ones must be a word of their own. */
const MIN_STEM = 5;
const MIN_WORD = 3;
/** Of scripts without blanks between words, where a name is a character or two. */
const DENSE_NAME = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{2,}/gu;
const WORD = /[\p{L}\p{M}]+/gu;
/** Phone numbers are compared by so many last digits, which all spellings share. */
const PHONE_END = 7;

/** @returns a test for the record's names, contacts, address and comment, and for any e-mail address */
export function namesPerson(record: JsonObject): IsPersonal {
  const read = (...fields: readonly string[]) =>
    fields.flatMap((field) => {
      const value = record[field];
      const text = typeof value === 'string' ? value.trim().toLowerCase() : '';
      return text === '' ? [] : [text];
    });
  const names = read('fio', 'name', 'org_name');
  const words = new Set(names.flatMap((name) => name.match(WORD) ?? []));
  const whole = read('fio', 'name', 'login', 'email', 'phone', 'address', 'comment');
  const parts = [
    ...whole.filter((text) => text.length >= MIN_STEM),
    ...[...words].filter((word) => word.length >= MIN_STEM),
    ...names.flatMap((name) => name.match(DENSE_NAME) ?? []),
  ];
  const phones = read('phone')
    .map((text) => text.replaceAll(/\D/g, '').slice(-PHONE_END))
    .filter((end) => end.length === PHONE_END);
  const short = new Set([...words].filter((word) => word.length >= MIN_WORD));
  return (text) => {
    const searched = text.toLowerCase();
    return (
      searched.includes('@') ||
      phones.some((end) => searched.replaceAll(/\D/g, '').includes(end)) ||
      parts.some((part) => searched.includes(part)) ||
      (searched.match(WORD) ?? []).some((word) => short.has(word))
    );
  };
}
