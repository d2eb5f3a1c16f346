/**
 * Tells whether a text holds a person: somebody whom records tell of, by name, contacts, address or organization, an erased person,
 * or anybody's contact.
 */
import type { JsonObject } from '../../model/json.ts';
import type { SearchedText } from '../../warehouse/schema/texts.ts';
import { decodeEntities, mayHoldContact } from '../shown-text.ts';
import { scalarText } from '../text.ts';
import type { ErasedPersons } from './identifiers.ts';

export type TextKind = Exclude<SearchedText, 'code'>;

export type Finder = (text: string, kind: TextKind) => boolean;

/** Fields of list rows and profiles. */
const NAMES = ['fio', 'name'];
const ORGANIZATION = 'org_name';
const CONTACTS = ['phone', 'login'];
const ADDRESS = 'address';

/** No shorter text holds anybody. */
const MIN_TEXT = 3;
/** A word that tells on its own, where one may; a shorter one does together with another. */
const MIN_WORD = 3;
/** Of an organization: its legal form is shorter. */
const MIN_TITLE = 5;
const MIN_PAIR = 5;
/** Of an address: what is shorter is an abbreviation. */
const MIN_PLACE = 4;
/** Of a login. */
const MIN_LOGIN = 5;
/** Two words of a name stand together if no more than one is between them, in any order. */
const PAIR_DISTANCE = 2;
/** Phone numbers are compared by so many last digits, which all spellings share. */
const PHONE_END = 7;
/** Of scripts without blanks between words, where a name is a character or two, and other words may hold it. */
const DENSE_NAME = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{2,}/gu;
const MIN_DENSE: Readonly<Record<TextKind, number>> = { note: 2, field: 2, catalogue: 4, key: 4 };
const WORD = /[\p{L}\p{N}]+/gu;

const EMAIL = /[^\s@]@[^\s@]+\.\p{L}{2}|[([{<]\s*(?:at|ат|собака)\s*[)\]}>]/u;
/** Numbers that are written as phone numbers: with a plus, as in Russia, or with a slash after the area code. */
const PHONE =
  /\+\s?\d(?:[\s()./-]{0,3}\d){8,14}(?!\d)|(?<![\d.,])(?:00\d?|[78])?[\s(./-]{0,3}9\d\d[\s)./-]{0,3}\d{3}[\s./-]{0,2}\d\d[\s./-]{0,2}\d\d(?!\d)|(?<!\d)[78][\s(.-]{1,3}[348]\d\d[\s).-]{1,3}\d{3}[\s.-]?\d\d[\s.-]?\d\d(?!\d)|(?<!\d)0\d{2,4}\s?\/\s?\d{4,9}(?!\d)/;

/** Endings of Russian nouns and adjectives, with their vowels as folded, and of the Latin genitive and plural. */
const ENDING =
  /(?<=^.{3,})(?:ого|его|ому|ему|ими|ыми|ием|ая|яя|ои|еи|ую|юю|ыи|ии|ым|им|ом|ем|ою|ею|ия|ию|ие|[аеиоуыьэюя]|(?<=\p{Script=Latin})s)$/u;

/** Most texts are such, and are folded in a tenth of the time. */
const PLAIN = /^[ -%'-~а-яё]*$/;

/** In lower case, without entities, accents and forms of characters that look alike. */
function fold(text: string): string {
  const lower = text.toLowerCase();
  if (PLAIN.test(lower)) return lower.replaceAll('ё', 'е').replaceAll('й', 'и');
  return decodeEntities(text).normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

const stem = (word: string) => word.replace(ENDING, '');
const wordsIn = (folded: string): readonly string[] => folded.match(WORD) ?? [];

/** Numbers, and words that are no abbreviations. */
function placesIn(words: readonly string[]): readonly string[] {
  return words.filter((word) => word.length >= MIN_PLACE || /\d/.test(word)).map(stem);
}

/** A street beside the number of a house; of an address without numbers, two words that follow each other. */
function pairsOf(places: readonly string[]): readonly string[] {
  const hasNumber = places.some((place) => /\d/.test(place));
  return places.slice(1).flatMap((place, at) => {
    const before = places[at] ?? '';
    const isPlace = hasNumber ? /^\D+ \d|^\d\S* \D+$/.test(`${before} ${place}`) : true;
    return isPlace ? [`${before} ${place}`] : [];
  });
}

type Name = {
  /** Its words, by their stems. */
  readonly words: ReadonlyMap<string, string>;
  /** Letters of a word that tells on its own, where one may. */
  readonly least: number;
};

type Sought = {
  readonly names: readonly Name[];
  readonly dense: readonly string[];
  /** Found as a whole, where a single word tells, too: logins, and addresses that have a number. */
  readonly whole: readonly string[];
  readonly phoneEnds: readonly string[];
  readonly addresses: ReadonlySet<string>;
  /** Whatever names one of them holds one of these. */
  readonly hints: readonly string[];
};

function soughtIn(records: readonly JsonObject[]): Sought {
  const read = (fields: readonly string[]) =>
    // Servers send a phone number as a number, too.
    records.flatMap((record) => fields.flatMap((field) => scalarText(record[field] ?? null) ?? []));
  const toName = (least: number) => (text: string) => {
    const letters = wordsIn(fold(text)).filter((word) => word.length > 1 && !/\d/.test(word));
    return { words: new Map(letters.map((word) => [stem(word), word])), least };
  };
  const named = read(NAMES);
  const names = [...named.map(toName(MIN_WORD)), ...read([ORGANIZATION]).map(toName(MIN_TITLE))];
  const contacts = read(CONTACTS);
  const addresses = read([ADDRESS]).map(fold);
  const places = addresses.map((text) => placesIn(wordsIn(text)));
  const logins = read(['login']).map(fold);
  return {
    names,
    dense: named.flatMap((name) => name.normalize('NFKC').match(DENSE_NAME) ?? []),
    whole: [
      ...logins.filter((login) => login.length >= MIN_LOGIN),
      ...addresses.filter((address) => /\d/.test(address) && address.length >= MIN_LOGIN),
    ],
    phoneEnds: contacts
      .map((text) => text.replaceAll(/\D/g, ''))
      .flatMap((digits) => (digits.length < PHONE_END ? [] : digits.slice(-PHONE_END))),
    addresses: new Set(places.flatMap(pairsOf)),
    hints: [
      ...names.flatMap(({ words }) => [...words.keys()]),
      ...places.flat().filter((place) => !/\d/.test(place)),
    ],
  };
}

/** @param records in which the persons of a text say who they are: the list row of an order, a profile */
export function createFinder(records: readonly JsonObject[], erased: ErasedPersons): Finder {
  const sought = soughtIn(records);
  return (text, kind) => {
    if (text.length < MIN_TEXT) return false;
    const folded = fold(text);
    return (
      hasContact(text, folded, kind) ||
      erased.areIn(text) ||
      hasOwnContact(folded, sought, kind) ||
      namesAnyOf(folded, sought, kind)
    );
  };
}

/** What no contact is without: most texts have none. */
const SIGN_OF_CONTACT = /[^a-zA-Zа-яА-ЯёЁ «»",.-]/;
const SIGN_OF_EMAIL = /[@([{<]/;
/** Seven digits, wherever they stand. */
const SIGN_OF_PHONE = /\d(?:\D*\d){6}/;

function hasContact(text: string, folded: string, kind: TextKind): boolean {
  if (kind === 'note') return SIGN_OF_CONTACT.test(text) && mayHoldContact(text);
  if (SIGN_OF_EMAIL.test(folded) && EMAIL.test(folded)) return true;
  return kind !== 'key' && SIGN_OF_PHONE.test(folded) && PHONE.test(folded);
}

function hasOwnContact(folded: string, { phoneEnds, whole }: Sought, kind: TextKind): boolean {
  if (phoneEnds.length > 0 && SIGN_OF_PHONE.test(folded)) {
    const digits = folded.replaceAll(/\D/g, '');
    if (phoneEnds.some((end) => digits.includes(end))) return true;
  }
  return tellsAlone(kind) && whole.some((text) => folded.includes(text));
}

/** Whether a word of a name tells on its own there. */
const tellsAlone = (kind: TextKind) => kind === 'note' || kind === 'field';

function namesAnyOf(folded: string, { names, dense, addresses, hints }: Sought, kind: TextKind): boolean {
  if (!hints.some((hint) => folded.includes(hint))) return false;
  const words = wordsIn(folded);
  const stems = words.map(stem);
  if (names.some((name) => namesIn(stems, name, tellsAlone(kind)))) return true;
  if (dense.some((name) => name.length >= MIN_DENSE[kind] && folded.normalize('NFKC').includes(name)))
    return true;
  return addresses.size > 0 && allPairs(placesIn(words)).some((pair) => addresses.has(pair));
}

const allPairs = (places: readonly string[]) =>
  places.slice(1).map((place, at) => `${places[at] ?? ''} ${place}`);

function namesIn(stems: readonly string[], { words, least }: Name, tellsAlone: boolean): boolean {
  return stems.some((one, at) => {
    const word = words.get(one);
    if (word === undefined) return false;
    if (tellsAlone && word.length >= least) return true;
    return stems.slice(at + 1, at + 1 + PAIR_DISTANCE).some((other) => {
      const next = words.get(other);
      return next !== undefined && other !== one && word.length + next.length >= MIN_PAIR;
    });
  });
}
