/** A user's record as a row of core.users. */
import type { JsonObject } from '../model/json.ts';
import type { UserPerson, UserRow } from '../warehouse/schema/users.ts';
import { parseId, parseInteger } from './numbers.ts';
import { localText, readTime, type ShopZone, toInstant } from './local-time.ts';
import { columnsByField, type ColumnTable, RecordReader } from './record-reader.ts';
import { unusable, type WithPerson } from './rejection.ts';
import { parseArray, parseFlag, parseObject, parseText } from './text.ts';

/** Of the account. */
const USER_COLUMNS = {
  group_oid: ['parent_oid', parseId],
  owner_oid: ['master_oid', parseId],
  visible: ['visible', parseFlag],
  access: ['access', parseFlag],
} as const satisfies ColumnTable<UserRow>;

export const USER_FIELDS = columnsByField(USER_COLUMNS, ['oid', 'created', 'updated']);

/** What the profile says is the person's, but for the level. */
const PERSON_COLUMNS = {
  content: ['content', parseObject],
  login: ['content.login', parseText],
  email: ['content.email', parseText],
  phone: ['content.phone', parseText],
  name: ['content.name', parseText],
  org_name: ['content.org_name', parseText],
  gender: ['content.gender', parseText],
  address: ['content.address', parseText],
  images: ['content.images', parseArray],
} as const satisfies ColumnTable<UserPerson>;

const ANOTHER_USER = 'the record is of another user than the one asked for';

/**
 * Reads the record of the user `userOid`. The API also finds users by login, so a login of digits can return another
 * user: such a record gives no row.
 *
 * @throws RangeError when `shop.timezone` is not an IANA zone; never for data
 */
export function normalizeUser(
  userOid: string,
  record: JsonObject,
  shop: ShopZone,
): WithPerson<UserRow, UserPerson> {
  const reader = new RecordReader(record, 'user', userOid);
  const oid = reader.read('oid', parseId);
  if (oid !== null && oid !== userOid)
    return unusable({ resource: 'user', sourceKey: userOid }, ANOTHER_USER, record['oid']);
  const created = readTime(reader, 'created', shop);
  const updated = readTime(reader, 'updated', shop);
  return {
    row: {
      user_oid: userOid,
      ...reader.readColumns(USER_COLUMNS),
      created_local: localText(created),
      updated_local: localText(updated),
      created_at: toInstant(created, shop.timezone),
      level: reader.read('content.level', parseInteger),
    },
    person: reader.readColumns(PERSON_COLUMNS),
    rejections: reader.rejections,
  };
}
