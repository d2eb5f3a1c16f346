/** The values of one column that are held until a row group of Parquet is written. */
import { ByteWriter } from 'hyparquet-writer';
import { writeRleBitPackedHybrid } from 'hyparquet-writer/src/encoding.js';

import type { ExportColumn, NumberFormat } from './columns.ts';

type Encoded = {
  readonly encoding: 'PLAIN' | 'RLE' | 'RLE_DICTIONARY';
  /** Of values that are not null. */
  readonly values: Uint8Array;
  /** What differs among them, where they are numbers of that. */
  readonly dictionary?: { readonly size: number; readonly values: Uint8Array };
};

export type ColumnValues = {
  /** @param bytes that have a value at a place, in PostgreSQL's binary format */
  add(bytes: Buffer, at: number, length: number): void;
  /** All since the last call. */
  encode(): Encoded;
};

/** @param capacity how many can be held */
export const columnValues = (column: ExportColumn, capacity: number): ColumnValues =>
  column.number === undefined ? new Texts(capacity) : new Numbers(column, column.number, capacity);

class Numbers implements ColumnValues {
  readonly #column: ExportColumn;
  readonly #format: NumberFormat;
  readonly #view: DataView<ArrayBuffer>;
  #end = 0;

  constructor(column: ExportColumn, format: NumberFormat, capacity: number) {
    this.#column = column;
    this.#format = format;
    this.#view = new DataView(new ArrayBuffer(capacity * format.width));
  }

  add(bytes: Buffer, from: number): void {
    const { width, read } = this.#format;
    const value = read(bytes, from);
    const view = this.#view;
    const at = this.#end;
    if (width === 4) view.setInt32(at, Number(value), true);
    else if (width === 8) setInt64(view, at, value, true);
    else if (width === 1) view.setUint8(at, Number(value));
    else {
      setInt64(view, at, BigInt(value) >> 64n, false);
      setInt64(view, at + 8, value, false);
    }
    this.#end = at + width;
  }

  encode(): Encoded {
    const values = new Uint8Array(this.#view.buffer, 0, this.#end);
    this.#end = 0;
    if (this.#column.element.type !== 'BOOLEAN') return { encoding: 'PLAIN', values };
    const packed = pack(values, 1, 4);
    new DataView(packed.buffer).setUint32(0, packed.length - 4, true);
    return { encoding: 'RLE', values: packed };
  }
}

function setInt64(view: DataView, at: number, value: number | bigint, isLittle: boolean): void {
  if (typeof value === 'bigint') {
    view.setBigInt64(at, value, isLittle);
    return;
  }
  view.setInt32(isLittle ? at : at + 4, value, isLittle);
  view.setInt32(isLittle ? at + 4 : at, Math.floor(value / 2 ** 32), isLittle);
}

/** Where texts are looked up by their bytes: at most half of it is used. */
const SLOTS = 65_536;
/** Of FNV-1a, which takes texts of codes and keys well apart. */
const PRIME = 0x01000193;

class Texts implements ColumnValues {
  /** Each text once, after its length, as pages have them. */
  #bytes = Buffer.allocUnsafe(4_096);
  #end = 0;
  /** Where each of them begins. */
  readonly #starts: number[] = [];
  /** The number of a text, from 1; 0: none. */
  readonly #slots = new Uint16Array(SLOTS);
  /** Of each value, the number of its text, from 0. */
  readonly #numbers: Uint32Array;
  #count = 0;

  /** @param capacity half of SLOTS, or less */
  constructor(capacity: number) {
    this.#numbers = new Uint32Array(capacity);
  }

  add(bytes: Buffer, from: number, length: number): void {
    let hash = length;
    for (let at = from; at < from + length; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), PRIME);
    let slot = (hash ^ (hash >>> 16)) & (SLOTS - 1);
    let number = this.#slots[slot] ?? 0;
    while (number !== 0 && !this.#isText(number - 1, bytes, from, length)) {
      slot = (slot + 1) & (SLOTS - 1);
      number = this.#slots[slot] ?? 0;
    }
    if (number === 0) {
      this.#keep(bytes, from, length);
      number = this.#starts.length;
      this.#slots[slot] = number;
    }
    this.#numbers[this.#count] = number - 1;
    this.#count += 1;
  }

  encode(): Encoded {
    const size = this.#starts.length;
    const numbers = this.#numbers.subarray(0, this.#count);
    const texts = this.#bytes.subarray(0, this.#end);
    const isDictionary = size * 2 <= numbers.length;
    const values = isDictionary
      ? packNumbers(numbers, size)
      : Buffer.concat(Array.from(numbers, (number) => this.#textOf(number)));
    [this.#end, this.#count] = [0, 0];
    this.#starts.length = 0;
    this.#slots.fill(0);
    if (!isDictionary) return { encoding: 'PLAIN', values };
    return { encoding: 'RLE_DICTIONARY', values, dictionary: { size, values: texts } };
  }

  #keep(bytes: Buffer, from: number, length: number): void {
    const end = this.#end + 4 + length;
    if (end > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(end, this.#bytes.length * 2));
      this.#bytes.copy(larger, 0, 0, this.#end);
      this.#bytes = larger;
    }
    this.#starts.push(this.#end);
    bytes.copy(this.#bytes, this.#bytes.writeUInt32LE(length, this.#end), from, from + length);
    this.#end = end;
  }

  #isText(number: number, bytes: Buffer, from: number, length: number): boolean {
    const start = (this.#starts[number] ?? 0) + 4;
    if ((this.#starts[number + 1] ?? this.#end) - start !== length) return false;
    for (let at = 0; at < length; at += 1) if (this.#bytes[start + at] !== bytes[from + at]) return false;
    return true;
  }

  /** After its length. */
  #textOf(number: number): Uint8Array {
    return this.#bytes.subarray(this.#starts[number], this.#starts[number + 1] ?? this.#end);
  }
}

/** After a byte that says how many bits each number takes. */
function packNumbers(numbers: Uint32Array, size: number): Uint8Array {
  const bitWidth = Math.ceil(Math.log2(Math.max(size, 1)));
  const values = pack(numbers, bitWidth, 1);
  values[0] = bitWidth;
  return values;
}

/** @param free bytes before what is packed */
function pack(numbers: Uint8Array | Uint32Array, bitWidth: number, free: 1 | 4): Uint8Array<ArrayBuffer> {
  const writer = new ByteWriter();
  for (let at = 0; at < free; at += 1) writer.appendUint8(0);
  writeRleBitPackedHybrid(writer, numbers, bitWidth);
  return writer.getBytes();
}
