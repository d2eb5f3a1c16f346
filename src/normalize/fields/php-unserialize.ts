/** Reads PHP's `serialize()` format: scalars and arrays only. What is damaged, or anything else, costs its entry. */
import { type JsonValue, parseJson } from '../../model/json.ts';
import { leftOut, type Salvaged, sizeOf, TOO_DEEP } from './salvaged.ts';

/** Bounds the recursion. What is deeper than fields may be, and less deep than this, costs its entry alone. */
const MAX_DEPTH = 500;
/** So many characters are looked at, in all, for the ends of texts: fields have half of it at the most. */
const MAX_STEPS = 2_000_000;

/** Each begins where the one before it ended. Numbers and names are shorter than their bounds, whatever PHP writes. */
const TEXT = /s:(0|[1-9]\d{0,6}):"/y;
const TEXT_END = /";(?=$|\}|N;|[^N]:)/sy;
const SCALAR = /([idbRr]):([^;]{0,40});/y;
const LIST = /(a|O:\d{1,7}:"[^"]{0,250}"):(0|[1-9]\d{0,6}):\{/y;
const ENUM = /E:\d{1,7}:"[^"]{0,250}";/y;
const NULL = /N;/y;

const INTEGER = /^(?:0|-?[1-9]\d*)$/;
const FORMS: Readonly<Record<string, RegExp>> = {
  i: INTEGER,
  d: /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:E[+-]?\d+)?$/i,
  b: /^[01]$/,
};
const ENDLESS = /^(?:-?INF|NAN)$/;

const UNKNOWN = 'the text is cut off, or goes on with something that serialize() does not write';
const OTHER_LENGTH = 'a text of another length than it says';
const OTHER_COUNT = 'another number of entries than it says';
const NO_KEY = 'a key that is neither a number nor a text';
const NO_NUMBER = 'a number that cannot be read';
const INFINITE = 'a number that is infinite or none';
const REFERENCE = 'a reference to another value';
const OBJECT = 'an object';
const BEHIND = 'something stands behind the end of the fields';
const MISCOUNTED = 'the fields are not as many as they say';

/** Stands for a value that cannot be read. */
const LOST = Symbol('lost');
type Value = JsonValue | typeof LOST;

/**
 * The entries of a serialized array, with lengths of texts in bytes or in characters, line ends as they are, or as they were before
 * something changed them. Arrays with the keys 0, 1, 2... become arrays, others objects; the last entry of a repeated key counts, as
 * in PHP.
 *
 * @returns undefined for text that is no serialized array
 */
export function unserialize(text: string): Salvaged | undefined {
  if (text === 'N;') return { value: null, problems: [] };
  let best: Salvaged | undefined;
  for (const measure of text.includes('\n') ? MEASURES : MEASURES.slice(0, 2)) {
    const found = new PhpReader(text, measure).document();
    if (found === undefined || found.problems.length === 0) return found;
    if (best === undefined || sizeOf(found) > sizeOf(best)) best = found;
  }
  return best;
}

class PhpReader {
  readonly #text: string;
  readonly #measure: Measure;
  #at = 0;
  #steps = 0;
  /** Why the value that is being read is lost. */
  #reason: string | undefined;
  /** Nothing after this can be read. */
  #isOver = false;

  constructor(text: string, measure: Measure) {
    this.#text = text;
    this.#measure = measure;
  }

  document(): Salvaged | undefined {
    const [, kind, count] = this.#take(LIST) ?? [];
    if (kind !== 'a') return undefined;
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
    const [, size] = this.#take(TEXT) ?? [];
    if (size !== undefined) return this.#string(Number(size));
    const [, type = '', scalar] = this.#take(SCALAR) ?? [];
    if (scalar !== undefined) return this.#scalar(type, scalar);
    const [, kind, count] = this.#take(LIST) ?? [];
    if (kind !== undefined) return this.#list(kind, Number(count), depth);
    if (this.#take(NULL)) return null;
    return this.#take(ENUM) ? this.#lose(OBJECT) : this.#end();
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
      left -= this.#measure(
        this.#text.charCodeAt(at),
        this.#text.charCodeAt(at - 1),
        this.#text.charCodeAt(at + 1),
      );
      at += 1;
    }
    return left === 0 ? at : undefined;
  }

  /** Whether a text ends here: a quote may stand in it, too. Then goes on behind it. */
  #isTextEnd(at: number): boolean {
    TEXT_END.lastIndex = at;
    if (!TEXT_END.test(this.#text)) return false;
    this.#at = at + 2;
    return true;
  }

  #scalar(type: string, text: string): Value {
    if (type === 'R' || type === 'r') return this.#lose(REFERENCE);
    if (FORMS[type]?.test(text) !== true) return this.#lose(ENDLESS.test(text) ? INFINITE : NO_NUMBER);
    return type === 'b' ? text === '1' : parseJson(text);
  }

  #list(kind: string, count: number, depth: number): Value {
    if (depth >= MAX_DEPTH) return this.#end(TOO_DEEP);
    const { entries, read, isWhole } = this.#entries(depth + 1);
    if (kind !== 'a') return this.#lose(OBJECT);
    if (this.#isOver || !isWhole) return LOST;
    return read === count ? asContainer(entries) : this.#lose(OTHER_COUNT);
  }

  /** Entries up to the bracket that ends them. @param onLost told of those that cannot be read, by their places */
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

  #end(reason = UNKNOWN): typeof LOST {
    this.#isOver = true;
    return this.#lose(reason);
  }

  /** What a pattern finds here. */
  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text) ?? undefined;
    if (found !== undefined) this.#at = pattern.lastIndex;
    return found;
  }
}

function asContainer(entries: ReadonlyMap<string, JsonValue>): JsonValue {
  const isList = [...entries.keys()].every((key, at) => key === String(at));
  // Defines own properties whatever their names: nothing is assigned.
  return isList ? [...entries.values()] : Object.fromEntries(entries);
}

/** For how much the length of a text counts a code unit of UTF-16 between two others. */
type Measure = (unit: number, before: number, after: number) => number;

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit < 0xdc00;
const isSurrogate = (unit: number) => unit >= 0xd800 && unit < 0xe000;

const countBytes: Measure = (unit) => (unit < 0x80 ? 1 : unit < 0x800 || isSurrogate(unit) ? 2 : 3);
const countCharacters: Measure = (unit) => (isHighSurrogate(unit) ? 0 : 1);

const [FEED, RETURN] = [0x0a, 0x0d];
/** Line ends of two characters were one. */
const asOne =
  (count: Measure): Measure =>
  (unit, before, after) =>
    unit === RETURN && after === FEED ? 0 : count(unit, before, after);
/** Line ends of one character were two. */
const asTwo =
  (count: Measure): Measure =>
  (unit, before, after) =>
    unit === FEED && before !== RETURN ? 2 : count(unit, before, after);

const MEASURES: readonly Measure[] = [
  countBytes,
  countCharacters,
  asOne(countBytes),
  asOne(countCharacters),
  asTwo(countBytes),
  asTwo(countCharacters),
];
