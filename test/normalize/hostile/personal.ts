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
