/** What a field may hold that names no person, as records keep it that are stored without their person. */
import { parseInteger } from '../amounts.ts';
import type { JsonValue } from '../../json.ts';
import type { ShopZone } from '../local-time.ts';
import { accepted, type Parse, type Reading, refused } from '../reading.ts';
import { parseFlag, parseText } from '../text.ts';

export type Kept = {
  /** Refuses what the field cannot hold, such as a name in an amount. */
  readonly parse: (value: JsonValue, shop: ShopZone) => Reading<unknown>;
  /** Dropped where it names the person of the record. */
  readonly isText: boolean;
  /** Staff of the shop may edit it, and may have put somebody's contact into it: dropped where it holds an erased one. */
  readonly isEdited: boolean;
};

/** The fields that are kept, by name. */
export type KnownFields = Readonly<Record<string, Kept>>;

/** Identifiers, amounts and times, which may look like phone numbers. */
export function figure(parse: Kept['parse']): Kept {
  return { parse, isText: false, isEdited: false };
}

const machineText = (parse: Parse<string>): Kept => ({ parse, isText: true, isEdited: false });
const edited = (parse: Parse<string>): Kept => ({ parse, isText: true, isEdited: true });

const LONGEST_CODE = 64;
/** What codes of payments, colours and the like are made of; names in other scripts, and sentences, are not. */
const PLAIN_CODE = /^[\w.,%#+-]{1,32}$/;
const CURRENCY = /^(?:\p{Sc}|\p{L}{1,4}\.?)$/u;
const MANY_DIGITS = /(?:\d\D{0,3}){7}/;

const parseShopText: Parse<string> = (value) => {
  const reading = parseText(value);
  return (reading.value?.length ?? 0) > LONGEST_CODE * 4 ? refused('') : reading;
};
const parseEditedText: Parse<string> = (value) => {
  const reading = parseShopText(value);
  return reading.value !== null && MANY_DIGITS.test(reading.value) ? refused('') : reading;
};
const parseShortFlag: Parse<string> = (value) => {
  const reading = parseFlag(value);
  return (reading.value?.length ?? 0) > LONGEST_CODE ? refused('') : reading;
};
const codeLike =
  (pattern: RegExp): Parse<string> =>
  (value) => {
    const reading = parseFlag(value);
    const { value: text } = reading;
    const isCode = text === null || (pattern.test(text.trim()) && !MANY_DIGITS.test(text));
    return isCode ? reading : refused('');
  };

/** A flag or state that the shop's software sets. */
export const state = machineText(parseShortFlag);
/** An identifier that is not a number, such as that of a product with its specifications. */
export const textId = machineText(parseShopText);
/** A text of the catalogue. */
export const catalogText = edited(parseShopText);
/** A text that staff may edit in an order: without phone numbers, dates of birth and the like. */
export const editedText = edited(parseEditedText);
/** A code of the shop: one word in Latin letters. */
export const editedCode = edited(codeLike(PLAIN_CODE));
export const discount = edited(codeLike(/^[-\d.,% ]{1,16}$/));
export const currency = edited(codeLike(CURRENCY));
/** A number, or a boolean. */
export const number = figure((value) =>
  typeof value === 'boolean' ? accepted<unknown>(value) : parseInteger(value),
);
