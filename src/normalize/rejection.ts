/** What could not be normalized, and why. */
import { withoutBroken } from '../model/broken-text.ts';
import type { JsonValue } from '../model/json.ts';
import type { RejectionRecord } from '../warehouse/ops/rejections.ts';

export type Rejection = RejectionRecord;

/** No row when the whole record is unusable. */
export type Normalized<Row> = {
  readonly row: Row | undefined;
  readonly rejections: readonly Rejection[];
};

/** The same for a record with a person, which is stored separately. */
export type WithPerson<Row, Person> = { readonly rejections: readonly Rejection[] } & (
  | { readonly row: Row; readonly person: Person }
  | { readonly row: undefined; readonly person: undefined }
);

/** A record of which nothing is read. @param value why: what its key is, or that of another record */
export function unusable(
  of: Pick<Rejection, 'resource' | 'sourceKey'>,
  reason: string,
  value: JsonValue | undefined,
) {
  const rejection: Rejection = { ...of, field: null, reason, value: excerpt(value) };
  return { row: undefined, person: undefined, rejections: [rejection] };
}

/** For a record whose key is known from elsewhere: its own may be the problem. */
export function withKey(rejections: readonly Rejection[], sourceKey: string): readonly Rejection[] {
  return rejections.map((rejection) => ({ ...rejection, sourceKey }));
}

const EXCERPT_LENGTH = 500;

/** The beginning of a value as text that PostgreSQL accepts. */
export function excerpt(value: JsonValue | undefined): string | null {
  if (value === undefined || value === null) return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const cut = text.slice(0, EXCERPT_LENGTH).replaceAll('\0', '');
  const endsInHalf = text.length > EXCERPT_LENGTH && /[\ud800-\udbff]$/.test(cut);
  return withoutBroken(endsInHalf ? cut.slice(0, -1) : cut);
}
