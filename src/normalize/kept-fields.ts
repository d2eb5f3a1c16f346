/** What a field may hold that names no person, as it is kept where a record is stored without its person. */

export type Kept = {
  /** Which texts are kept; undefined: a figure, of which everything is kept that can be read. */
  readonly fits: ((text: string) => boolean) | undefined;
  /** Somebody may edit it, and may have put somebody's contact into it: dropped where it holds an erased one. */
  readonly isEdited: boolean;
};

const MAX_STATE_LENGTH = 64;
const MAX_TEXT_LENGTH = 256;
/** What codes of payments, colours and the like are made of; names in other scripts, and sentences, are not. */
const PLAIN_CODE = /^[\w.,%#+-]{1,32}$/;
const CURRENCY = /^(?:\p{Sc}|\p{L}{1,4}\.?)$/u;
const DISCOUNT = /^[-\d.,% ]{1,16}$/;
/** A phone number, a date of birth, or the like. */
const MANY_DIGITS = /(?:\d\D{0,3}){7}/;

const code = (pattern: RegExp): Kept => ({
  fits: (text) => pattern.test(text.trim()) && !MANY_DIGITS.test(text),
  isEdited: true,
});

/** Identifiers, amounts and times, which may look like phone numbers. */
export const figure: Kept = { fits: undefined, isEdited: false };
/** A flag or state that the shop's software sets. */
export const state: Kept = { fits: (text) => text.length <= MAX_STATE_LENGTH, isEdited: false };
/** Opens a page of the order to whoever has it. */
export const key: Kept = { fits: () => false, isEdited: true };
/** A text that staff may edit in an order: without phone numbers, dates of birth and the like. */
export const editedText: Kept = {
  fits: (text) => text.length <= MAX_TEXT_LENGTH && !MANY_DIGITS.test(text),
  isEdited: true,
};
/** A code of the shop: one word in Latin letters. */
export const editedCode = code(PLAIN_CODE);
export const discount = code(DISCOUNT);
export const currency = code(CURRENCY);
