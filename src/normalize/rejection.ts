/** What could not be normalized, kept with its reason. */
import { withoutBroken } from '../broken-text.ts';
import type { JsonValue } from '../json.ts';
import { jsonText } from './canonical-json.ts';

export type Rejection = {
  readonly resource: 'order' | 'content' | 'user' | 'group';
  /** Identifier of the record in the shop: for lines, of their order. */
  readonly sourceKey: string | null;
  /** Name of the field on the wire; null: the whole record. */
  readonly field: string | null;
  /** A constant sentence per cause, without values. */
  readonly reason: string;
  /** The offending value as text: at most 500 characters, well-formed, without NUL. */
  readonly value: string | null;
};

/** The row and what was left out of it; no row when the record as a whole is unusable. */
export type Normalized<Row> = {
  readonly row: Row | undefined;
  readonly rejections: readonly Rejection[];
};

/** Rejections of a record whose key is known from elsewhere, and may be what was wrong with it. */
export function withKey(rejections: readonly Rejection[], sourceKey: string): readonly Rejection[] {
  return rejections.map((rejection) => ({ ...rejection, sourceKey: rejection.sourceKey ?? sourceKey }));
}

const EXCERPT_LENGTH = 500;

/** The beginning of a value as text that PostgreSQL can hold. */
export function excerpt(value: JsonValue | undefined): string | null {
  if (value === undefined || value === null) return null;
  const text = typeof value === 'string' ? value : jsonText(value, { maxLength: EXCERPT_LENGTH });
  const cut = text.slice(0, EXCERPT_LENGTH).replaceAll('\0', '');
  const endsInHalf = text.length > EXCERPT_LENGTH && /[\ud800-\udbff]$/.test(cut);
  return withoutBroken(endsInHalf ? cut.slice(0, -1) : cut);
}
