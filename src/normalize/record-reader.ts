/** Reads the fields of one record, and collects rejections. */
import type { JsonObject, JsonValue } from '../json.ts';
import type { Parse } from './reading.ts';
import { excerpt, type Normalized, type Rejection } from './rejection.ts';

export type RecordReaderOptions = {
  readonly resource: Rejection['resource'];
  readonly sourceKey: string | null;
  /** Prefix of the field names in rejections, such as `content.` for a nested object. @default '' */
  readonly path?: string;
  /** To share one list among several readers. @default a new list */
  readonly rejections?: Rejection[];
};

/** Absent, null and blank text mean the same on the wire. */
export function isPresent(value: JsonValue | undefined): value is Exclude<JsonValue, null> {
  return value !== undefined && value !== null && !(typeof value === 'string' && value.trim() === '');
}

/** @typeParam Field the names of fields that may be read */
export class RecordReader<Field extends string = string> {
  readonly rejections: Rejection[];
  readonly #record: JsonObject;
  readonly #resource: Rejection['resource'];
  readonly #path: string;
  #sourceKey: string | null;

  constructor(record: JsonObject, options: RecordReaderOptions) {
    this.rejections = options.rejections ?? [];
    this.#record = record;
    this.#resource = options.resource;
    this.#path = options.path ?? '';
    this.#sourceKey = options.sourceKey;
  }

  /** The parsed field; null when it is absent or blank, or, with a rejection, refused. */
  read<T>(field: Field, parse: Parse<T>): T | null {
    const value = this.#record[field];
    if (!isPresent(value)) return null;
    const reading = parse(value);
    for (const reason of reading.problems) this.reject(field, reason, value);
    return reading.value;
  }

  /** The record's own id, used in every later rejection; null: the record is unusable. */
  readKey(field: Field, parse: Parse<string>): string | null {
    const value = this.#record[field];
    this.#sourceKey = isPresent(value) ? parse(value).value : null;
    return this.#sourceKey;
  }

  reject(field: Field, reason: string, value: JsonValue | undefined): void {
    this.#add(this.#path + field, reason, value);
  }

  /** Rejects the whole record because of one field. */
  unusable(field: Field, reason: string): Normalized<never> {
    this.#add(null, reason, this.#record[field]);
    return { row: undefined, rejections: this.rejections };
  }

  /** A reader of a nested object, whose rejections name `field.name` in the same list. */
  within(field: Field, nested: JsonObject): RecordReader {
    return new RecordReader(nested, {
      resource: this.#resource,
      sourceKey: this.#sourceKey,
      path: `${this.#path}${field}.`,
      rejections: this.rejections,
    });
  }

  #add(field: string | null, reason: string, value: JsonValue | undefined): void {
    if (this.rejections.some((entry) => entry.field === field && entry.reason === reason)) return;
    const record = { resource: this.#resource, sourceKey: this.#sourceKey };
    this.rejections.push({ ...record, field, reason, value: excerpt(value) });
  }
}
