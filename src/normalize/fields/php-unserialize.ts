/** Reads PHP's `serialize()` format: scalars and arrays only. What is damaged, or anything else, costs its entry. */
import { type JsonValue, parseJson } from '../../model/json.ts';
import { leftOut, type Salvaged, TOO_DEEP } from './salvaged.ts';

const MAX_DEPTH = 32;
/** More than the longest number that PHP writes. */
const MAX_NUMBER_LENGTH = 40;
/** So many characters are looked at, in all, for the ends of texts that have another length than they say. */
const MAX_SEARCHED = 2_000_000;

const LENGTH = /^(?:0|[1-9]\d{0,6})$/;
const INTEGER = /^(?:0|-?[1-9]\d*)$/;
const FORMS: Readonly<Record<string, RegExp>> = {
  i: INTEGER,
  d: /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:E[+-]?\d+)?$/i,
  b: /^[01]$/,
};
const ENDLESS = /^(?:-?INF|NAN)$/;

const CUT = 'the text ends before it does';
const UNKNOWN = 'something that serialize() does not write';
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
 * The entries of a serialized array, with string lengths in bytes or in characters, line ends as they are, or as they were
 * before something changed them. Arrays with the keys 0, 1, 2... become arrays, others objects; the last entry of a repeated
 * key counts, as in PHP.
 *
 * @returns undefined for text that is no serialized array
 */
export function unserialize(text: string): Salvaged | undefined {
  if (text === 'N;') return { value: null, problems: [] };
  if (!/^a:\d/.test(text)) return undefined;
  let best: Salvaged | undefined;
  for (const newline of text.includes('\n') ? NEWLINES : NEWLINES.slice(0, 1)) {
    for (const source of [byteSource(text), characterSource(text)]) {
      const found = new PhpReader(source, newline).document();
      if (found?.problems.length === 0) return found;
      if (found !== undefined && sizeOf(found) > (best === undefined ? -1 : sizeOf(best))) best = found;
    }
  }
  return best;
}

export function sizeOf({ value }: Salvaged): number {
  return Object.keys(value ?? {}).length;
}

/** What the length of a text counts for a line end: what it has, one, or two. */
const NEWLINES = ['sent', 'one', 'two'] as const;
type Newline = (typeof NEWLINES)[number];

class PhpReader {
  readonly #source: PhpSource;
  readonly #newline: Newline;
  #position = 0;
  #searched = 0;
  /** Why the value that is being read is lost. */
  #reason: string | undefined;
  /** Nothing after this can be read. */
  #isOver = false;

  constructor(source: PhpSource, newline: Newline) {
    this.#source = source;
    this.#newline = newline;
  }

  document(): Salvaged | undefined {
    const problems: string[] = [];
    this.#position = 2;
    const count = this.#length();
    if (count === undefined || !this.#skip('{')) return undefined;
    const { entries, read } = this.#entries(1, (at) => {
      problems.push(leftOut(at, this.#reason ?? UNKNOWN, this.#isOver));
      this.#reason = undefined;
    });
    if (!this.#isOver && read !== count) problems.push(MISCOUNTED);
    if (!this.#isOver && this.#position < this.#source.units.length) problems.push(BEHIND);
    return { value: asContainer(entries), problems };
  }

  #value(depth: number): Value {
    const type = this.#next();
    if (type === 'N') return this.#skip(';') ? null : this.#end();
    if (!this.#skip(':')) return this.#end();
    if (type === 's') return this.#string();
    if (type === 'i' || type === 'd' || type === 'b') return this.#scalar(type);
    if (type === 'R' || type === 'r')
      return this.#until(';') === undefined ? this.#end() : this.#lose(REFERENCE);
    if (type === 'a') return this.#array(depth);
    if (type === 'O' || type === 'C' || type === 'E') return this.#object(type, depth);
    return this.#end();
  }

  #string(): Value {
    const length = this.#length();
    if (length === undefined || !this.#skip('"')) return this.#end();
    const from = this.#position;
    const to = this.#endOf(length);
    const found = this.#isTextEnd(to) ? to : this.#searchEnd(from);
    if (found === undefined) return this.#end(CUT);
    this.#position = found + 2;
    return found === to ? this.#source.text(from, to) : this.#lose(OTHER_LENGTH);
  }

  /** Where a text of that length ends. */
  #endOf(length: number): number {
    if (this.#newline === 'sent') return this.#position + length;
    const { units } = this.#source;
    let [at, left] = [this.#position, length];
    while (left > 0 && at < units.length) {
      const isBreak = units[at] === '\r' && units[at + 1] === '\n';
      const isFeed = units[at] === '\n' && units[at - 1] !== '\r';
      const counted = isBreak ? { one: 0, two: 1 } : { one: 1, two: isFeed ? 2 : 1 };
      left -= counted[this.#newline];
      at += 1;
    }
    return at;
  }

  /** Whether a text ends here: a quote may stand in it, too. */
  #isTextEnd(at: number): boolean {
    const { units } = this.#source;
    if (units[at] !== '"' || units[at + 1] !== ';') return false;
    const [type = '}', mark] = [units[at + 2], units[at + 3]];
    return type === '}' || mark === (type === 'N' ? ';' : ':');
  }

  /** The first place where a text may end. */
  #searchEnd(from: number): number | undefined {
    for (let at = from; at < this.#source.units.length && this.#searched < MAX_SEARCHED; at += 1) {
      this.#searched += 1;
      if (this.#isTextEnd(at)) return at;
    }
    return undefined;
  }

  #scalar(type: 'i' | 'd' | 'b'): Value {
    const text = this.#until(';');
    if (text === undefined) return this.#end();
    if (FORMS[type]?.test(text) !== true) return this.#lose(ENDLESS.test(text) ? INFINITE : NO_NUMBER);
    return type === 'b' ? text === '1' : parseJson(text);
  }

  #array(depth: number): Value {
    const length = this.#length();
    if (length === undefined || !this.#skip('{')) return this.#end();
    if (depth >= MAX_DEPTH) return this.#skipLevels();
    const { entries, read, isWhole } = this.#entries(depth + 1);
    if (this.#isOver || !isWhole) return LOST;
    return read === length ? asContainer(entries) : this.#lose(OTHER_COUNT);
  }

  /** `O:1:"A":1:{...}`, `C:1:"A":2:{..}` or `E:3:"A:B";` */
  #object(type: 'O' | 'C' | 'E', depth: number): Value {
    const length = this.#length();
    if (length === undefined || !this.#skip('"')) return this.#end();
    this.#position += length;
    if (!this.#skip('"') || !this.#skip(type === 'E' ? ';' : ':')) return this.#end();
    if (type === 'O') this.#array(depth);
    else if (type === 'C') {
      const data = this.#length();
      if (data === undefined || !this.#skip('{')) return this.#end();
      this.#position += data;
      if (!this.#skip('}')) return this.#end();
    }
    return this.#lose(OBJECT);
  }

  /** Entries up to the bracket that ends them. @param onLost told of those that cannot be read, by their places */
  #entries(depth: number, onLost?: (at: number) => void) {
    const entries = new Map<string, JsonValue>();
    let [read, isWhole] = [0, true];
    while (!this.#isOver && this.#source.units[this.#position] !== '}') {
      read += 1;
      const key = this.#key(depth);
      const value = this.#isOver ? LOST : this.#value(depth);
      if (key !== undefined && value !== LOST) entries.set(key, value);
      else {
        isWhole = false;
        onLost?.(read);
      }
    }
    this.#position += 1;
    return { entries, read, isWhole };
  }

  #key(depth: number): string | undefined {
    const type = this.#source.units[this.#position];
    const from = this.#position + 2;
    const value = this.#value(depth);
    if (type === 's' && typeof value === 'string') return value;
    if (type === 'i' && value !== LOST) return this.#source.text(from, this.#position - 1);
    this.#lose(NO_KEY);
    return undefined;
  }

  /** Passes over what is nested too deep, without going as deep. */
  #skipLevels(): Value {
    for (let levels = 1; levels > 0 && !this.#isOver;) {
      const unit = this.#source.units[this.#position];
      if (unit === '}') {
        levels -= 1;
        this.#position += 1;
      } else if (unit === 'a') {
        this.#position += 2;
        if (this.#length() === undefined || !this.#skip('{')) this.#end();
        levels += 1;
      } else this.#value(MAX_DEPTH);
    }
    return this.#lose(TOO_DEEP);
  }

  #lose(reason: string): typeof LOST {
    this.#reason ??= reason;
    return LOST;
  }

  #end(reason = UNKNOWN): typeof LOST {
    this.#isOver = true;
    return this.#lose(this.#position > this.#source.units.length ? CUT : reason);
  }

  #length(): number | undefined {
    const text = this.#until(':');
    return text !== undefined && LENGTH.test(text) ? Number(text) : undefined;
  }

  /** The text up to a mark, which it consumes. */
  #until(mark: string): string | undefined {
    let text = '';
    while (text.length <= MAX_NUMBER_LENGTH) {
      const unit = this.#next();
      if (unit === undefined) return undefined;
      if (unit === mark) return text;
      text += unit;
    }
    return undefined;
  }

  #skip(expected: string): boolean {
    return this.#next() === expected;
  }

  #next(): string | undefined {
    const unit = this.#source.units[this.#position];
    this.#position += 1;
    return unit;
  }
}

function asContainer(entries: ReadonlyMap<string, JsonValue>): JsonValue {
  const isList = [...entries.keys()].every((key, at) => key === String(at));
  // Defines own properties whatever their names: nothing is assigned.
  return isList ? [...entries.values()] : Object.fromEntries(entries);
}

/** Serialized text as a sequence of units: `serialize()` counts bytes, transcoded text characters. */
type PhpSource = {
  /** Each as one character: ASCII units are themselves. */
  readonly units: ArrayLike<string>;
  /** Of units that begin and end beside a quote, which splits no character. */
  readonly text: (from: number, to: number) => string;
};

/** One unit per byte of UTF-8, as PHP writes it. */
function byteSource(text: string): PhpSource {
  const bytes = Buffer.from(text);
  return {
    units: bytes.toString('latin1'),
    text: (from, to) => bytes.subarray(from, to).toString(),
  };
}

/** One unit per character: text in a one-byte encoding that was transcoded to UTF-8 later. */
function characterSource(text: string): PhpSource {
  const units = Array.from(text);
  return { units, text: (from, to) => units.slice(from, to).join('') };
}
