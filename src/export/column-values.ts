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
  /** In the order of the column's type; empty where there is no value. */
  readonly bounds: Partial<Record<'min_value' | 'max_value', bigint | number | boolean | Uint8Array>>;
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
  #min: number | bigint = Infinity;
  #max: number | bigint = -Infinity;

  constructor(column: ExportColumn, format: NumberFormat, capacity: number) {
    this.#column = column;
    this.#format = format;
    this.#view = new DataView(new ArrayBuffer(capacity * format.width));
  }

  add(bytes: Buffer, from: number): void {
    const { width, read } = this.#format;
    const value = read(bytes, from);
    if (value < this.#min) this.#min = value;
    if (value > this.#max) this.#max = value;
    const view = this.#view;
    const at = this.#end;
    if (width === 4) view.setInt32(at, Number(value), true);
    else if (width === 8) setInt64(view, at, value, true);
    else if (width === 1) view.setUint8(at, Number(value));
    else {
      setInt64(view, at, value < 0 ? -1 : 0, false);
      setInt64(view, at + 8, value, false);
    }
    this.#end = at + width;
  }

  encode(): Encoded {
    const { type, converted_type } = this.#column.element;
    const isBig = type === 'INT64' || converted_type === 'DECIMAL';
    const toBound = type === 'BOOLEAN' ? Boolean : isBig ? BigInt : Number;
    const bounds = this.#end === 0 ? {} : { min_value: toBound(this.#min), max_value: toBound(this.#max) };
    const values = new Uint8Array(this.#view.buffer, 0, this.#end);
    [this.#end, this.#min, this.#max] = [0, Infinity, -Infinity];
    if (type !== 'BOOLEAN') return { encoding: 'PLAIN', values, bounds };
    const packed = pack(values, 1, 4);
    new DataView(packed.buffer).setUint32(0, packed.length - 4, true);
    return { encoding: 'RLE', values: packed, bounds };
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

class Texts implements ColumnValues {
  /** Each text once, with its number: a character for each byte of its UTF-8, by which Parquet orders them too. */
  readonly #texts = new Map<string, number>();
  readonly #numbers: Uint32Array;
  #count = 0;

  constructor(capacity: number) {
    this.#numbers = new Uint32Array(capacity);
  }

  add(bytes: Buffer, from: number, length: number): void {
    const text = bytes.toString('latin1', from, from + length);
    let number = this.#texts.get(text);
    if (number === undefined) {
      number = this.#texts.size;
      this.#texts.set(text, number);
    }
    this.#numbers[this.#count] = number;
    this.#count += 1;
  }

  encode(): Encoded {
    const texts = [...this.#texts.keys()];
    const numbers = this.#numbers.subarray(0, this.#count);
    this.#texts.clear();
    this.#count = 0;
    const bounds = boundsOf(texts);
    if (texts.length * 2 > numbers.length)
      return {
        encoding: 'PLAIN',
        values: joined(Array.from(numbers, (number) => texts[number] ?? '')),
        bounds,
      };
    const bitWidth = Math.ceil(Math.log2(Math.max(texts.length, 1)));
    const values = pack(numbers, bitWidth, 1);
    values[0] = bitWidth;
    const dictionary = { size: texts.length, values: joined(texts) };
    return { encoding: 'RLE_DICTIONARY', values, dictionary, bounds };
  }
}

function boundsOf(texts: readonly string[]): Encoded['bounds'] {
  let [min] = texts;
  let max = min;
  for (const text of texts) {
    if (min === undefined || text < min) min = text;
    if (max === undefined || text > max) max = text;
  }
  if (min === undefined || max === undefined) return {};
  return { min_value: Buffer.from(min, 'latin1'), max_value: Buffer.from(max, 'latin1') };
}

/** Each text after its length. */
function joined(texts: readonly string[]): Uint8Array {
  const all = Buffer.allocUnsafe(texts.reduce((sum, { length }) => sum + 4 + length, 0));
  let at = 0;
  for (const text of texts) {
    at = all.writeUInt32LE(text.length, at);
    at += all.write(text, at, 'latin1');
  }
  return all;
}

/** @param free bytes before what is packed */
function pack(numbers: Uint8Array | Uint32Array, bitWidth: number, free: 1 | 4): Uint8Array<ArrayBuffer> {
  const writer = new ByteWriter();
  for (let at = 0; at < free; at += 1) writer.appendUint8(0);
  writeRleBitPackedHybrid(writer, numbers, bitWidth);
  return writer.getBytes();
}
