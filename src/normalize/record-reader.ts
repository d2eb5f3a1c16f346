/** Reads the fields of one record, and collects what could not be read. */
import type { JsonObject, JsonValue } from '../json.ts';
import type { Parse } from './reading.ts';
import { excerpt, type Normalized, type Rejection } from './rejection.ts';

export type RecordReaderOptions = {
  readonly resource: Rejection['resource'];
  readonly sourceKey: string | null;
  /** Put before the field names in rejections: `content.` for a nested object. @default '' */
  readonly path?: string;
  /** Where rejections go, to share one list among several readers. @default a list of its own */
  readonly rejections?: Rejection[];
};

/** Absent, null and blank text mean the same on the wire: nothing. */
export function isPresent(value: JsonValue | undefined): value is Exclude<JsonValue, null> {
  return value !== undefined && value !== null && !(typeof value === 'string' && value.trim() === '');
}

export class RecordReader {
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

  /** The parsed field; null when it is absent, blank or refused, and the last with a rejection. */
  read<T>(field: string, parse: Parse<T>): T | null {
    const value = this.#record[field];
    if (!isPresent(value)) return null;
    const reading = parse(value);
    for (const reason of reading.problems) this.reject(field, reason, value);
    return reading.value;
  }

  /** The record's own identifier, which names it in every later rejection; null: the record is unusable. */
  readKey(field: string, parse: Parse<string>): string | null {
    const value = this.#record[field];
    this.#sourceKey = isPresent(value) ? parse(value).value : null;
    return this.#sourceKey;
  }

  reject(field: string, reason: string, value: JsonValue | undefined): void {
    this.#add(this.#path + field, reason, value);
  }

  /** Gives up the whole record because of one field. */
  unusable(field: string, reason: string): Normalized<never> {
    this.#add(null, reason, this.#record[field]);
    return { row: undefined, rejections: this.rejections };
  }

  /** A reader of a nested object, whose fields are named `field.name` in the same list of rejections. */
  within(field: string, nested: JsonObject): RecordReader {
    return new RecordReader(nested, {
      resource: this.#resource,
      sourceKey: this.#sourceKey,
      path: `${this.#path}${field}.`,
      rejections: this.rejections,
    });
  }

  #add(field: string | null, reason: string, value: JsonValue | undefined): void {
    const known = this.rejections.some((entry) => entry.field === field && entry.reason === reason);
    if (known) return;
    this.rejections.push({
      resource: this.#resource,
      sourceKey: this.#sourceKey,
      field,
      reason,
      value: excerpt(value),
    });
  }
}
