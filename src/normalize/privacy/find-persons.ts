/**
 * Decides whether a text contains a person: one whom records name, by name, contacts, address or organization, an erased person,
 * or anybody's contact.
 */
import { type JsonObject, scalarText } from '../../model/json.ts';
import type { SearchedText } from '../../warehouse/schema/texts.ts';
import { decodeEntities, mayHoldContact } from '../shown-text.ts';
import type { ErasedPersons } from './identifiers.ts';

export type Finder = (text: string, kind: SearchedText) => boolean;

/** Texts of one record, in which a single word of a name is enough. */
const OF_ONE_RECORD: ReadonlySet<SearchedText> = new Set(['note', 'code', 'field']);

/** No shorter text holds anybody. */
const MIN_TEXT = 3;
/** A word of a name; a single letter is none. */
const MIN_NAME = 2;
/** The least length of a word that is enough alone, where one word may be; shorter ones count together with another. */
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
const WORD = /[\p{L}\p{N}]+/gu;

const EMAIL = /[^\s@]@[^\s@]+\.\p{L}{2}|[([{<]\s*(?:at|ат|собака)\s*[)\]}>]/u;
/** Numbers that are written as phone numbers: with a plus, as in Russia, or with a slash after the area code. */
const PHONE =
  /\+\s?\d(?:[\s()./-]{0,3}\d){8,14}(?!\d)|(?<![\d.,])(?:00\d?|[78])?[\s(./-]{0,3}9\d\d[\s)./-]{0,3}\d{3}[\s./-]{0,2}\d\d[\s./-]{0,2}\d\d(?!\d)|(?<!\d)[78][\s(.-]{1,3}[348]\d\d[\s).-]{1,3}\d{3}[\s.-]?\d\d[\s.-]?\d\d(?!\d)|(?<!\d)0\d{2,4}\s?\/\s?\d{4,9}(?!\d)/;

/** Endings of Russian nouns and adjectives, with their vowels as folded, and of the Latin genitive and plural. */
const ENDING =
  /(?<=^.{3,})(?:ого|его|ому|ему|ими|ыми|ием|ая|яя|ои|еи|ую|юю|ыи|ии|ым|им|ом|ем|ою|ею|ия|ию|ие|[аеиоуыьэюя]|(?<=\p{Script=Latin})s)$/u;

/** Of a word, what no ending takes away. */
const MIN_STEM = 3;
const MAX_ENDING = 3;

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
const digitsIn = (text: string) => text.match(/\d+/g)?.join('') ?? '';

/** Numbers, and words that are no abbreviations, by their stems; two that follow each other. */
function placesIn(words: readonly string[]): readonly string[] {
  const places = words.filter((word) => word.length >= MIN_PLACE || /\d/.test(word)).map(stem);
  return places.slice(1).map((place, at) => `${places[at] ?? ''} ${place}`);
}

/** A street beside the number of a house; of an address without numbers, any two words. */
function streetsIn(address: string): readonly string[] {
  const places = placesIn(wordsIn(address));
  return /\d/.test(address) ? places.filter((place) => /^\D+ \d|^\d\S* \D+$/.test(place)) : places;
}

/** A text, and what it shows of any person. */
type Searched = {
  readonly folded: string;
  readonly digits: string;
  /** It holds somebody's contact, or an erased person. */
  readonly isFound: boolean;
};

/** Products and methods repeat: a text is looked at once. So many are remembered of each kind. */
const MAX_REMEMBERED = 10_000;

export class PersonSearch {
  readonly #erased: ErasedPersons;
  readonly #searched: Readonly<Record<SearchedText, Map<string, Searched>>> = {
    note: new Map(),
    code: new Map(),
    field: new Map(),
    catalogue: new Map(),
    key: new Map(),
  };

  constructor(erased: ErasedPersons) {
    this.#erased = erased;
  }

  /** @param records in which the persons of a text say who they are: the list row of an order, a profile */
  finder(records: readonly JsonObject[]): Finder {
    const { whole, phoneEnds, hints, toNamed } = soughtIn(records);
    let named: ReturnType<typeof toNamed> | undefined;
    return (text, kind) => {
      if (text.length < MIN_TEXT) return false;
      const { folded, digits, isFound } = this.#search(text, kind);
      if (isFound || phoneEnds.some((end) => digits.includes(end))) return true;
      const tellsAlone = OF_ONE_RECORD.has(kind);
      if (tellsAlone && whole.some((one) => folded.includes(one))) return true;
      if (!hints.some((hint) => folded.includes(hint))) return false;
      const words = wordsIn(folded);
      const stems = words.map(stem);
      const { names, streets } = (named ??= toNamed());
      return (
        names.some((name) => namesIn(stems, name, tellsAlone)) ||
        placesIn(words).some((place) => streets.has(place))
      );
    };
  }

  #search(text: string, kind: SearchedText): Searched {
    const known = this.#searched[kind];
    const before = known.get(text);
    if (before !== undefined) return before;
    if (known.size >= MAX_REMEMBERED) known.clear();
    const folded = fold(text);
    const isFound = hasContact(text, folded, kind) || this.#erased.areIn(text);
    const searched = { folded, digits: digitsIn(folded), isFound };
    known.set(text, searched);
    return searched;
  }
}

function hasContact(text: string, folded: string, kind: SearchedText): boolean {
  if (kind === 'note' || kind === 'code') return mayHoldContact(text);
  return EMAIL.test(folded) || (kind !== 'key' && PHONE.test(folded));
}

type Name = {
  /** Its words, by their stems. */
  readonly words: ReadonlyMap<string, string>;
  /** Letters of a word that is enough alone, where one word may be. */
  readonly least: number;
};

/** What records say of persons. `whole`: logins, and addresses that have a number. */
function soughtIn(records: readonly JsonObject[]) {
  // Servers send a phone number as a number, too.
  const read = (field: string) => records.flatMap((record) => scalarText(record[field]) ?? []);
  const logins = read('login');
  const [names, organizations] = [read('fio').concat(read('name')).map(fold), read('org_name').map(fold)];
  const addresses = read('address').map(fold);
  const whole = [...logins.map(fold), ...addresses.filter((address) => /\d/.test(address))];
  const phones = [...read('phone'), ...logins].map(digitsIn);
  return {
    whole: whole.filter((text) => text.length >= MIN_LOGIN),
    phoneEnds: phones.flatMap((digits) => (digits.length < PHONE_END ? [] : digits.slice(-PHONE_END))),
    /** Whatever names one of them holds one of these. */
    hints: [
      ...[...names, ...organizations].flatMap((name) => beginnings(name, MIN_NAME)),
      ...addresses.flatMap((address) => beginnings(address, MIN_PLACE)),
    ],
    toNamed: () => ({
      names: [...names.map(nameOf(MIN_WORD)), ...organizations.map(nameOf(MIN_TITLE))],
      streets: new Set(addresses.flatMap(streetsIn)),
    }),
  };
}

/** Beginnings of words that stand in every text which names them, whatever their endings. */
function beginnings(folded: string, minLength: number): readonly string[] {
  const words = wordsIn(folded).filter((word) => word.length >= minLength && !/\d/.test(word));
  return words.map((word) => word.slice(0, Math.max(MIN_STEM, word.length - MAX_ENDING)));
}

function nameOf(least: number): (folded: string) => Name {
  return (folded) => {
    const letters = wordsIn(folded).filter((word) => word.length >= MIN_NAME && !/\d/.test(word));
    return { words: new Map(letters.map((word) => [stem(word), word])), least };
  };
}

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
