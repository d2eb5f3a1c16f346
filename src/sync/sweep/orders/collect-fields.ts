import { isJsonObject, type JsonValue } from '../../../json.ts';
import { SCRUB_MARK } from '../../../normalize/privacy/privacy.ts';

/** The names that a schema has, rather than keys that are data. */
const FIELD_NAME = /^[a-z_]\w{0,62}$/i;
const MAX_FIELDS = 200;

/** Adds the names of a record's fields to those that were seen. */
export function collectFields(seen: Set<string>, record: JsonValue): void {
  if (!isJsonObject(record)) return;
  for (const name of Object.keys(record)) {
    if (name === SCRUB_MARK) continue;
    if (!seen.has(name) && seen.size < MAX_FIELDS && FIELD_NAME.test(name)) seen.add(name);
  }
}
