/** Reads PHP's `serialize()` format: scalars and arrays only. What is damaged, or anything else, costs its entry. */
import { type JsonValue, parseJson } from '../../model/json.ts';

/** What could be read. */
export type Unserialized = {
  /** Null if the serialized value is null. */
  readonly value: JsonValue;
  /** One sentence for each part that could not be read; by its place, since a key may name a person. */
  readonly problems: readonly string[];
};

/** @param at from 1 */
export function leftOut(at: number, reason: string, isLast = false): string {
  return `entry ${at} ${isLast ? 'and all after it were' : 'was'} left out: ${reason}`;
}

/** Bounds the recursion. What is deeper than fields may be, and less deep than this, costs its entry alone. */
const MAX_DEPTH = 500;
/** So many characters are looked at, in all, for the ends of texts: fields have half of it at the most. */
const MAX_STEPS = 2_000_000;

/** The beginning of a value. Numbers and names are shorter than their bounds, whatever PHP writes. */
const TOKEN =
  /N;|s:(?<length>0|[1-9]\d{0,6}):"|(?<type>[ibdRr]):(?<scalar>[^;]{0,40});|(?:a|(?<object>O:\d{1,7}:"[^"]{0,250}")):(?<count>0|[1-9]\d{0,6}):\{|(?<enumeration>E):\d{1,7}:"[^"]{0,250}";/y;
const TEXT_END = /";(?=$|\}|N;|[^N]:)/sy;

const FORMS: Readonly<Record<string, RegExp>> = {
  i: /^(?:0|-?[1-9]\d*)$/,
  d: /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:E[+-]?\d+)?$/i,
  b: /^[01]$/,
};

const UNKNOWN = 'the text is cut off, or goes on with something that serialize() does not write';
const OTHER_LENGTH = 'a text of another length than it says';
const OTHER_COUNT = 'another number of entries than it says';
const NO_KEY = 'a key that is neither a number nor a text';
const NO_NUMBER = 'a number that is infinite, or that cannot be read';
const NO_VALUE = 'an object, or a reference to another value';
const BEHIND = 'something stands behind the end of the fields';
const MISCOUNTED = 'the fields are not as many as they say';

/** Stands for a value that cannot be read. */
const LOST = Symbol('lost');
type Value = JsonValue | typeof LOST;

/**
 * The entries of a serialized array, with lengths of texts in bytes or in characters. Arrays with the keys 0, 1, 2... become
 * arrays, others objects; the last entry of a repeated key counts, as in PHP.
 *
 * @returns undefined for text that is no serialized array
 */
export function unserialize(text: string): Unserialized | undefined {
  if (text === 'N;') return { value: null, problems: [] };
  const inBytes = new PhpReader(text, bytesOf).document();
  if (inBytes === undefined || inBytes.problems.length === 0) return inBytes;
  const inCharacters = new PhpReader(text, charactersOf).document();
  return [inBytes, inCharacters ?? inBytes].toSorted(byEntries)[0];
}

/** Most entries first. */
export function byEntries(a: Unserialized, b: Unserialized): number {
  return Object.keys(b.value ?? {}).length - Object.keys(a.value ?? {}).length;
}

class PhpReader {
  readonly #text: string;
  readonly #sizeOf: (unit: number) => number;
  #at = 0;
  #steps = 0;
  /** Why the value that is being read is lost. */
  #reason: string | undefined;
  /** Nothing after this can be read. */
  #isOver = false;

  /** @param sizeOf for how much the length of a text counts a code unit of UTF-16 */
  constructor(text: string, sizeOf: (unit: number) => number) {
    this.#text = text;
    this.#sizeOf = sizeOf;
  }

  document(): Unserialized | undefined {
    const { count, object } = this.#take();
    if (count === undefined || object !== undefined) return undefined;
    const problems: string[] = [];
    const { entries, read } = this.#entries(1, (at) => {
      problems.push(leftOut(at, this.#reason ?? UNKNOWN, this.#isOver));
      this.#reason = undefined;
    });
    if (!this.#isOver && read !== Number(count)) problems.push(MISCOUNTED);
    if (!this.#isOver && this.#at < this.#text.length) problems.push(BEHIND);
    return { value: asContainer(entries), problems };
  }

  #value(depth: number): Value {
    const from = this.#at;
    const { length, type, scalar, object, count, enumeration } = this.#take();
    if (length !== undefined) return this.#string(Number(length));
    if (type !== undefined) return this.#scalar(type, scalar ?? '');
    if (count !== undefined) return this.#array(Number(count), object !== undefined, depth);
    if (enumeration !== undefined) return this.#lose(NO_VALUE);
    return this.#at > from ? null : this.#end();
  }

  #string(length: number): Value {
    const from = this.#at;
    const to = this.#endOf(from, length);
    if (to !== undefined && this.#isTextEnd(to)) return this.#text.slice(from, to);
    for (let at = from; at < this.#text.length && this.#steps < MAX_STEPS; at += 1) {
      this.#steps += 1;
      if (this.#isTextEnd(at)) return this.#lose(OTHER_LENGTH);
    }
    return this.#end();
  }

  /** Where a text of that length ends; undefined if that is within a character. */
  #endOf(from: number, length: number): number | undefined {
    let [at, left] = [from, length];
    while (left > 0 && at < this.#text.length && this.#steps < MAX_STEPS) {
      this.#steps += 1;
      left -= this.#sizeOf(this.#text.charCodeAt(at));
      at += 1;
    }
    return left === 0 ? at : undefined;
  }

  /** Whether a text ends here, since a quote may also be part of it. If so, moves behind it. */
  #isTextEnd(at: number): boolean {
    TEXT_END.lastIndex = at;
    if (!TEXT_END.test(this.#text)) return false;
    this.#at = at + 2;
    return true;
  }

  #scalar(type: string, text: string): Value {
    const form = FORMS[type];
    if (form?.test(text) !== true) return this.#lose(form === undefined ? NO_VALUE : NO_NUMBER);
    return type === 'b' ? text === '1' : parseJson(text);
  }

  #array(count: number, isObject: boolean, depth: number): Value {
    if (depth >= MAX_DEPTH) return this.#end();
    const { entries, read, isWhole } = this.#entries(depth + 1);
    if (isObject) return this.#lose(NO_VALUE);
    if (this.#isOver || !isWhole) return LOST;
    return read === count ? asContainer(entries) : this.#lose(OTHER_COUNT);
  }

  /** Entries up to the bracket that ends them. @param onLost receives the positions of entries that cannot be read */
  #entries(depth: number, onLost?: (at: number) => void) {
    const entries = new Map<string, JsonValue>();
    let [read, isWhole] = [0, true];
    while (!this.#isOver && this.#text[this.#at] !== '}') {
      read += 1;
      const key = this.#key(depth);
      const value = this.#isOver ? LOST : this.#value(depth);
      if (key !== undefined && value !== LOST) entries.set(key, value);
      else {
        isWhole = false;
        onLost?.(read);
      }
    }
    this.#at += 1;
    return { entries, read, isWhole };
  }

  #key(depth: number): string | undefined {
    const [type, from] = [this.#text[this.#at], this.#at + 2];
    const value = this.#value(depth);
    if (type === 's' && typeof value === 'string') return value;
    if (type === 'i' && value !== LOST) return this.#text.slice(from, this.#at - 1);
    this.#lose(NO_KEY);
    return undefined;
  }

  #lose(reason: string): typeof LOST {
    this.#reason ??= reason;
    return LOST;
  }

  #end(): typeof LOST {
    this.#isOver = true;
    return this.#lose(UNKNOWN);
  }

  /** Goes behind the beginning of a value; stays where none stands. */
  #take(): Readonly<Record<string, string | undefined>> {
    TOKEN.lastIndex = this.#at;
    const found = TOKEN.exec(this.#text);
    if (found !== null) this.#at = TOKEN.lastIndex;
    return found?.groups ?? {};
  }
}

function asContainer(entries: ReadonlyMap<string, JsonValue>): JsonValue {
  const isList = [...entries.keys()].every((key, at) => key === String(at));
  // Defines own properties whatever their names: nothing is assigned.
  return isList ? [...entries.values()] : Object.fromEntries(entries);
}

const isSurrogate = (unit: number) => unit >= 0xd800 && unit < 0xe000;
const bytesOf = (unit: number) => (unit < 0x80 ? 1 : unit < 0x800 || isSurrogate(unit) ? 2 : 3);
/** The second half of a pair counts for both. */
const charactersOf = (unit: number) => (isSurrogate(unit) && unit < 0xdc00 ? 0 : 1);
