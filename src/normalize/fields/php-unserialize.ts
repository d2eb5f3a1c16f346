/** Reads PHP's `serialize()` format: scalars and arrays only, no objects, references or custom formats. */
import { type JsonValue, parseJson } from '../../json.ts';

const MAX_DEPTH = 32;
/** `i:0;N;` */
const MIN_ENTRY_LENGTH = 6;
/** More than the longest number that PHP writes. */
const MAX_NUMBER_LENGTH = 40;

const LENGTH = /^(?:0|[1-9]\d{0,6})$/;
const BOOLEAN = /^[01]$/;
const INTEGER = /^(?:0|-?[1-9]\d*)$/;
const FLOAT = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:E[+-]?\d+)?$/i;

type Key = { readonly text: string; readonly isIndex: boolean };

/**
 * The value of serialized text, with string lengths in bytes or, where that fails, in characters. Arrays with the keys
 * 0, 1, 2... become arrays, others objects; the last entry of a repeated key counts, as in PHP.
 *
 * @returns undefined unless the whole text is serialized scalars and arrays
 */
export function unserialize(text: string): JsonValue | undefined {
  const bytes = byteSource(text);
  const value = new PhpReader(bytes).document();
  if (value !== undefined || bytes.length === text.length) return value;
  return new PhpReader(characterSource(text)).document();
}

class PhpReader {
  readonly #source: PhpSource;
  #position = 0;

  constructor(source: PhpSource) {
    this.#source = source;
  }

  document(): JsonValue | undefined {
    const value = this.#value(0);
    return this.#position === this.#source.length ? value : undefined;
  }

  #value(depth: number): JsonValue | undefined {
    const type = this.#next();
    if (type === 'N') return this.#skip(';') ? null : undefined;
    if (!this.#skip(':')) return undefined;
    switch (type) {
      case 's':
        return this.#string();
      case 'i':
        return this.#number(INTEGER);
      case 'd':
        return this.#number(FLOAT);
      case 'b':
        return this.#boolean();
      case 'a':
        return depth < MAX_DEPTH ? this.#array(depth + 1) : undefined;
      default:
        return undefined;
    }
  }

  #string(): string | undefined {
    const length = this.#length();
    if (length === undefined || length > this.#left() || !this.#skip('"')) return undefined;
    const text = this.#source.text(this.#position, this.#position + length);
    this.#position += length;
    return this.#skip('"') && this.#skip(';') ? text : undefined;
  }

  #number(pattern: RegExp): JsonValue | undefined {
    const text = this.#until(';', pattern);
    return text && parseJson(text);
  }

  #boolean(): boolean | undefined {
    const text = this.#until(';', BOOLEAN);
    return text === undefined ? undefined : text === '1';
  }

  #array(depth: number): JsonValue | undefined {
    const length = this.#length();
    if (length === undefined || length * MIN_ENTRY_LENGTH > this.#left() || !this.#skip('{'))
      return undefined;
    const entries = new Map<string, JsonValue>();
    let isList = true;
    for (let index = 0; index < length; index += 1) {
      const key = this.#key();
      const value = key && this.#value(depth);
      if (key === undefined || value === undefined) return undefined;
      isList &&= key.isIndex && key.text === String(index);
      entries.set(key.text, value);
    }
    if (!this.#skip('}')) return undefined;
    // Defines own properties whatever their names: nothing is assigned.
    return isList ? [...entries.values()] : Object.fromEntries(entries);
  }

  #key(): Key | undefined {
    const type = this.#next();
    if (!this.#skip(':')) return undefined;
    const text = type === 's' ? this.#string() : type === 'i' ? this.#until(';', INTEGER) : undefined;
    return text === undefined ? undefined : { text, isIndex: type === 'i' };
  }

  #length(): number | undefined {
    const text = this.#until(':', LENGTH);
    return text === undefined ? undefined : Number(text);
  }

  /** The text up to a mark, which it consumes; undefined where it has another form. */
  #until(mark: string, form: RegExp): string | undefined {
    let text = '';
    while (text.length <= MAX_NUMBER_LENGTH) {
      const unit = this.#next();
      if (unit === undefined) return undefined;
      if (unit === mark) return form.test(text) ? text : undefined;
      text += unit;
    }
    return undefined;
  }

  #skip(expected: string): boolean {
    return this.#next() === expected;
  }

  #next(): string | undefined {
    const unit = this.#source.at(this.#position);
    this.#position += 1;
    return unit;
  }

  #left(): number {
    return this.#source.length - this.#position;
  }
}

/** Serialized text as a sequence of units: `serialize()` counts bytes, transcoded text characters. */
type PhpSource = {
  /** In units. */
  readonly length: number;
  /** The unit as one character: ASCII units are themselves. */
  readonly at: (position: number) => string | undefined;
  /** Undefined when it would split a character. */
  readonly text: (from: number, to: number) => string | undefined;
};

/** One unit per byte of UTF-8, as PHP writes it. */
function byteSource(text: string): PhpSource {
  const bytes = Buffer.from(text, 'utf8');
  const isInside = (position: number) => ((bytes[position] ?? 0) & 0xc0) === 0x80;
  return {
    length: bytes.length,
    at: (position) => (position < bytes.length ? String.fromCharCode(bytes[position] ?? 0) : undefined),
    text: (from, to) => (isInside(from) || isInside(to) ? undefined : bytes.toString('utf8', from, to)),
  };
}

/** One unit per character: text in a one-byte encoding that was transcoded to UTF-8 later. */
function characterSource(text: string): PhpSource {
  const characters = Array.from(text);
  return {
    length: characters.length,
    at: (position) => characters[position],
    text: (from, to) => characters.slice(from, to).join(''),
  };
}
