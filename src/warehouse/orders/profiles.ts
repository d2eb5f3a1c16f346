/** Who the persons of accounts are. */
import { sql } from 'drizzle-orm';

import type { JsonObject } from '../../model/json.ts';
import type { Profile } from '../../model/persons.ts';
import type { Db, Tx } from '../db/database.ts';
import { valuesIn } from '../db/upsert.ts';

/** What is stored of accounts by which their persons are recognized. */
export const PROFILE =
  sql.raw(`json_build_object('login', u.login, 'email', u.email, 'phone', u.phone, 'name', u.name,
  'org_name', u.org_name, 'address', u.address)`);

/** By the numbers of the accounts: none of those whose persons are not stored. */
export async function readProfiles(
  db: Db | Tx,
  shopId: number,
  userOids: readonly string[],
): Promise<ReadonlyMap<string, Profile>> {
  if (userOids.length === 0) return new Map();
  const { rows } = await db.execute<{ user_oid: string; profile: JsonObject }>(sql`
    SELECT u.user_oid, ${PROFILE} AS profile FROM core.user_persons u
    WHERE u.shop_id = ${shopId} AND u.user_oid IN ${valuesIn(userOids)}`);
  return new Map(rows.map(({ user_oid, profile }) => [user_oid, [profile]]));
}
