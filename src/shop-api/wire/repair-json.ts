/** Text that is nearly JSON, as programs write it that put it together by hand or from a language with other literals. */

type Repaired = {
  /** Proper JSON, its numbers digit by digit as they were written. */
  readonly json: string;
  /** Where the object or array ends in the text. */
  readonly end: number;
};

const BLANK = /[\s\0-\x1f]*/y; // oxlint-disable-line no-control-regex -- between values they say nothing
const WORD = /[^\s\0-\x1f{}[\]:,"']+/y; // oxlint-disable-line no-control-regex -- they end a word
const STRING = /"[^"\\]*(?:\\[^][^"\\]*)*"/y;
const SINGLE_QUOTED = /'[^'\\]*(?:\\[^][^'\\]*)*'/y;
/** PHP before 8 writes numbers with the decimal comma of its locale. A key cannot be a number alone. */
const DECIMAL_COMMA = /(-?\d+),(\d+)(?=\s*[,}])/y;
const NUMBER = /^([+-]?)0*(\d*)(?:\.(\d*))?(e[+-]?\d+)?$/i;
const NOT_A_NUMBER = /^[+-]?(nan|inf(inity)?|1\.#\w+)$/i;
const LITERALS: Readonly<Record<string, string>> = {
  true: 'true',
  false: 'false',
  null: 'null',
  none: 'null',
  undefined: 'null',
};

/**
 * Reads the object or array that begins at a position, and writes it as proper JSON. Beyond JSON it accepts control
 * characters and unknown escapes inside strings, strings in single quotes, keys without quotes, commas too many, missing
 * values (null), and numbers as other languages write them. What is no number is kept as a string, for the reader of the
 * field to reject. What is truncated, or can be read in two ways, is refused.
 *
 * @throws SyntaxError
 */
export function repairJson(text: string, start: number): Repaired {
  return new Repair(text, start).run();
}

/** By hand and without recursion: documents are large, and may be nested deeper than the stack. */
class Repair {
  readonly #text: string;
  #at: number;
  readonly #parts: string[] = [];
  /** What closes the arrays and objects that are open. */
  readonly #closers: string[] = [];
  /** What comes before the next element or key. */
  #separator = '';
  #expects: 'key' | 'colon' | 'value' | 'end' = 'value';

  constructor(text: string, start: number) {
    this.#text = text;
    this.#at = start;
  }

  run(): Repaired {
    if (!'{['.includes(this.#text.charAt(this.#at))) throw this.#unexpected();
    do {
      // Most values follow at once.
      if (!(this.#text.charCodeAt(this.#at) > 0x20)) this.#take(BLANK);
      const character = this.#text.charAt(this.#at);
      if (character === '') throw this.#unexpected();
      this.#step(character);
    } while (this.#closers.length > 0);
    return { json: this.#parts.join(''), end: this.#at };
  }

  #step(character: string): void {
    const isArray = this.#closers.at(-1) === ']';
    if (character === this.#closers.at(-1) && this.#expects !== 'colon') return this.#close(isArray);
    if (character === ',' && this.#expects !== 'colon') return this.#comma(isArray);
    if (this.#expects === 'colon' && character === ':') {
      this.#at++;
      this.#parts.push(':');
      this.#expects = 'value';
    } else if (this.#expects === 'key') {
      this.#parts.push(this.#separator, this.#key(character));
      this.#expects = 'colon';
    } else if (this.#expects === 'value') this.#value(character, isArray);
    else throw this.#unexpected();
  }

  #comma(isArray: boolean): void {
    this.#at++;
    // Between two commas of an array an element is missing, which counts as one; between those of an object, nothing.
    if (this.#expects === 'value') this.#add('null', isArray);
    this.#expects = isArray ? 'value' : 'key';
  }

  #close(isArray: boolean): void {
    if (this.#expects === 'value' && !isArray) this.#add('null', isArray);
    this.#parts.push(this.#closers.pop() ?? '');
    this.#at++;
    this.#separator = ',';
    this.#expects = 'end';
  }

  #key(character: string): string {
    if (character === '"' || character === "'") return this.#string(character);
    const word = this.#take(WORD);
    if (word === '') throw this.#unexpected();
    return JSON.stringify(word);
  }

  #value(character: string, isArray: boolean): void {
    if (character === '{' || character === '[') {
      this.#add(character, isArray);
      this.#closers.push(character === '{' ? '}' : ']');
      this.#at++;
      this.#separator = '';
      this.#expects = character === '{' ? 'key' : 'value';
    } else if (character === '"' || character === "'") this.#add(this.#string(character), isArray);
    else this.#add(this.#literal(isArray), isArray);
  }

  #add(json: string, isArray: boolean): void {
    this.#parts.push(isArray ? this.#separator : '', json);
    this.#separator = ',';
    this.#expects = 'end';
  }

  #literal(isArray: boolean): string {
    const decimal = isArray ? '' : this.#take(DECIMAL_COMMA);
    const word = decimal === '' ? this.#take(WORD) : decimal.replace(',', '.');
    const known = LITERALS[word.toLowerCase()];
    if (known !== undefined) return known;
    if (NOT_A_NUMBER.test(word)) return JSON.stringify(word);
    const [, sign = '', whole = '', fraction = '', power = ''] = NUMBER.exec(word) ?? [];
    if (!/\d/.test(word) || !NUMBER.test(word)) throw this.#unexpected();
    return `${sign.replace('+', '')}${whole || '0'}${fraction && `.${fraction}`}${power}`;
  }

  #string(quote: string): string {
    const string = this.#take(quote === '"' ? STRING : SINGLE_QUOTED);
    if (string === '') throw this.#unexpected();
    return `"${string.slice(1, -1).replaceAll(ODD, repairCharacter)}"`;
  }

  #take(pattern: RegExp): string {
    const found = match(pattern, this.#text, this.#at);
    this.#at += found.length;
    return found;
  }

  #unexpected(): SyntaxError {
    return new SyntaxError(`unexpected text at position ${this.#at}`);
  }
}

/** Escapes, known or not, and what has to be escaped in JSON. */
const ODD = /\\(?:["\\/bfnrt]|u[\da-f]{4})|\\'|\\|"|[\0-\x1f]/gi; // oxlint-disable-line no-control-regex -- looked for

function repairCharacter(found: string): string {
  if (found === "\\'") return "'";
  if (found === '\\') return '\\\\';
  return found.startsWith('\\') ? found : JSON.stringify(found).slice(1, -1);
}

function match(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}
