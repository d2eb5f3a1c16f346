/** Which persons' data a run may store: by the settings, and by what `forget` remembers. */
import { createHash } from 'node:crypto';

import type { FieldPolicy } from '../../normalize/privacy/form-fields.ts';
import { keepAll, Privacy } from '../../normalize/privacy/privacy.ts';
import type { Db } from '../../warehouse/db/database.ts';
import { readShownCodes } from '../../warehouse/directory/shown-codes.ts';
import { readShownTexts, shownText } from '../../warehouse/ops/erasures.ts';
import type { RunShop } from '../run/context.ts';
import type { ScrubState } from './scrub-state.ts';

type Opening = {
  readonly db: Db;
  readonly shopId: number;
  readonly shop: Pick<RunShop, 'pseudonymize' | 'timezone'>;
  /** Key of the hashes: the guests' secret. */
  readonly secret: string;
  readonly erased: ReadonlySet<string>;
};

/** Reads what the owner decided on extra fields, if anything is removed at all. */
export async function openPrivacy({ db, shopId, shop, secret, erased }: Opening): Promise<Privacy> {
  const isPseudonymizing = shop.pseudonymize !== undefined;
  if (!isPseudonymizing && erased.size === 0) return keepAll(secret, shop);
  const shown = await readShownTexts(db, shopId);
  const kept = new Set([...shown.keys, ...(shop.pseudonymize?.keptFields ?? [])]);
  const fields: FieldPolicy = {
    isKept: (key) => kept.has(key),
    // Figures about fields stay as they were: what bi showed of many is no secret of the person.
    isShared: (key, part, text) => !isPseudonymizing && shown.texts.has(shownText(key, part, text)),
  };
  const shownCodes = await readShownCodes(db, shopId);
  return new Privacy({ secret, shop, isPseudonymizing, erased, fields, shownCodes });
}

/** The setting that stored rows comply with; null: everything is kept. */
export function privacyPolicy({ pseudonymize }: Pick<RunShop, 'pseudonymize'>): string | null {
  if (pseudonymize === undefined) return null;
  return `pseudonymize ${JSON.stringify([...new Set(pseudonymize.keptFields)].toSorted())}`;
}

/**
 * What stored data must still comply with, as a digest; undefined where it does.
 *
 * @param erasures hashes of identifiers; false: still to be erased from what is stored
 */
export function scrubTarget(
  wanted: string | null,
  { policy }: Pick<ScrubState, 'policy'>,
  erasures: ReadonlyMap<string, boolean>,
): string | undefined {
  const pending = [...erasures].flatMap(([hash, isDone]) => (isDone ? [] : [hash])).toSorted();
  const isPolicyNew = wanted !== null && wanted !== policy;
  if (!isPolicyNew && pending.length === 0) return undefined;
  return createHash('sha256')
    .update(JSON.stringify([wanted, pending]))
    .digest('hex')
    .slice(0, 32);
}
