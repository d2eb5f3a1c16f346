/** Which persons' data a run may store: by the settings, and by what `forget` remembers. */
import { codeKey, keepAll, Privacy } from '../../normalize/privacy/privacy.ts';
import type { Db } from '../../warehouse/db/database.ts';
import { readShownFields } from '../../warehouse/directory/owner-fields.ts';
import { readKnownCodes } from '../../warehouse/directory/owner-codes.ts';
import type { RunShop } from './context.ts';

/** Reads what the owner decided on fields and codes, if anything is removed at all. @param secret key of the hashes: the guests' */
export async function openPrivacy(
  db: Db,
  shopId: number,
  shop: Pick<RunShop, 'pseudonymize' | 'timezone'>,
  secret: string,
  erased: ReadonlySet<string>,
): Promise<Privacy> {
  const isPseudonymizing = shop.pseudonymize !== undefined;
  if (!isPseudonymizing && erased.size === 0) return keepAll(secret, shop);
  const shown = await readShownFields(db, shopId);
  const keptFields = new Set([...shown, ...(shop.pseudonymize?.keptFields ?? [])]);
  const codes = await readKnownCodes(db, shopId);
  const knownCodes = new Set(codes.map(({ column, code }) => codeKey(column, code)));
  return new Privacy({ secret, shop, isPseudonymizing, erased, keptFields, knownCodes });
}

/** The setting that stored rows comply with; null: everything is kept. */
export function privacyPolicy({ pseudonymize }: Pick<RunShop, 'pseudonymize'>): string | null {
  if (pseudonymize === undefined) return null;
  return `pseudonymize ${JSON.stringify([...new Set(pseudonymize.keptFields)].toSorted())}`;
}
