import type { JsonValue } from '../../../src/model/json.ts';

/** A person, where nobody expects one: a name that each of {@link PERSONAL} holds. */
export const PERSON = 'Ivan Petrov, ivan@mail.example';

export const PERSONAL: readonly JsonValue[] = [
  PERSON,
  [PERSON],
  { who: PERSON },
  { [PERSON]: 1 },
  `12 ${PERSON}`,
];

const DAY = String.raw`(\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{2,4})`;
const isDate = (text: string) =>
  new RegExp(String.raw`^\s*${DAY}(\s+\d{1,2}:\d{1,2}(:\d{1,2})?(\.\d+)?)?\s*$`).test(text);

/** A date, or so few digits that they are no phone number: known, though the field cannot hold it. */
export function isHarmless(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || typeof value === 'boolean') return true;
  if (typeof value === 'number') return isHarmless(String(value));
  if (typeof value !== 'string' || !/^[\s\d.,:%+-]{0,64}$/.test(value)) return false;
  return value.replaceAll(/\D/g, '').length <= 6 || isDate(value);
}
