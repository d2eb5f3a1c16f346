/** Reads PHP's `serialize()` format: scalars and arrays only, no objects, references or custom formats. */
import { type JsonValue, parseJson } from '../../json.ts';

const MAX_DEPTH = 32;
/** More than the longest number that PHP writes. */
const MAX_NUMBER_LENGTH = 40;

const LENGTH = /^(?:0|[1-9]\d{0,6})$/;
const BOOLEAN = /^[01]$/;
const INTEGER = /^(?:0|-?[1-9]\d*)$/;
const FLOAT = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:E[+-]?\d+)?$/i;

/**
 * The value of serialized text, with string lengths in bytes or, where that fails, in characters. Arrays with the keys
 * 0, 1, 2... become arrays, others objects; the last entry of a repeated key counts, as in PHP.
 *
 * @returns undefined unless the whole text is serialized scalars and arrays
 */
export function unserialize(text: string): JsonValue | undefined {
  return new PhpReader(byteSource(text)).document() ?? new PhpReader(characterSource(text)).document();
}

class PhpReader {
  readonly #source: PhpSource;
  #position = 0;

  constructor(source: PhpSource) {
    this.#source = source;
  }

  document(): JsonValue | undefined {
    const value = this.#value(0);
    return this.#position === this.#source.units.length ? value : undefined;
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
    if (length === undefined || !this.#skip('"')) return undefined;
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
    if (length === undefined || !this.#skip('{')) return undefined;
    const entries = new Map<string, JsonValue>();
    let isList = true;
    for (let index = 0; index < length; index += 1) {
      const key = this.#key();
      const value = this.#value(depth);
      if (key === undefined || value === undefined) return undefined;
      isList &&= key === String(index);
      entries.set(key, value);
    }
    if (!this.#skip('}')) return undefined;
    // Defines own properties whatever their names: nothing is assigned.
    return isList ? [...entries.values()] : Object.fromEntries(entries);
  }

  #key(): string | undefined {
    const type = this.#next();
    if (!this.#skip(':')) return undefined;
    return type === 's' ? this.#string() : type === 'i' ? this.#until(';', INTEGER) : undefined;
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
    const unit = this.#source.units[this.#position];
    this.#position += 1;
    return unit;
  }
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
