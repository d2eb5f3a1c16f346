/** What decides what may be stored, with the settings that a test is about. */
import { hashIdentifier, type Identifier } from '../../../src/normalize/privacy/identifiers.ts';
import { Privacy, type PrivacyOptions } from '../../../src/normalize/privacy/privacy.ts';

export const SECRET = 'test';

const NOTHING = new Set<string>();

export function makePrivacy(given: Partial<PrivacyOptions> = {}): Privacy {
  const shop = { timezone: 'Europe/Berlin' };
  const plain = { isPseudonymizing: false, erased: NOTHING, keptFields: NOTHING, knownCodes: NOTHING };
  return new Privacy({ secret: SECRET, shop, ...plain, ...given });
}

/** What is remembered of persons who are to be forgotten. */
export function hashesOf(...identifiers: readonly (Identifier | undefined)[]): ReadonlySet<string> {
  return new Set(identifiers.flatMap((one) => (one === undefined ? [] : hashIdentifier(SECRET, one))));
}
