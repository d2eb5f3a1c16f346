/** A user's record as a row of core.users. */
import { isJsonObject, type JsonObject } from '../model/json.ts';
import type { UserPerson, UserRow } from '../warehouse/schema/users.ts';
import { parseId, parseInteger } from './numbers.ts';
import { toInstant, type LocalTime, localText, parseLocalTime, type ShopZone } from './local-time.ts';
import { columnReader, type FieldTable, type Parse, RecordReader } from './record-reader.ts';
import type { WithPerson } from './rejection.ts';
import { parseArray, parseFlag, parseObject, parseText } from './text.ts';

/** Of the account; what the profile says in `content` is the person's, but for the level. */
export const USER_FIELDS = {
  oid: { fills: {} },
  parent_oid: { fills: { group_oid: parseId } },
  master_oid: { fills: { owner_oid: parseId } },
  visible: { fills: { visible: parseFlag } },
  access: { fills: { access: parseFlag } },
  created: { fills: {} },
  updated: { fills: {} },
} as const satisfies FieldTable<UserRow>;

const readColumns = columnReader(USER_FIELDS);

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
  const reader = new RecordReader<keyof typeof USER_FIELDS | 'content'>(record, {
    resource: 'user',
    sourceKey: userOid,
  });
  const oid = reader.read('oid', parseId);
  if (oid !== null && oid !== userOid) return { ...reader.unusable('oid', ANOTHER_USER), person: undefined };
  const parseTime: Parse<LocalTime> = (value) => parseLocalTime(value, shop);
  const created = reader.read('created', parseTime);
  const updated = reader.read('updated', parseTime);
  const sent = record['content'];
  const content = new RecordReader(isJsonObject(sent) ? sent : {}, {
    resource: 'user',
    sourceKey: userOid,
    path: 'content.',
    rejections: reader.rejections,
  });
  return {
    row: {
      user_oid: userOid,
      ...readColumns(reader),
      created_local: localText(created),
      updated_local: localText(updated),
      created_at: toInstant(created, shop.timezone),
      level: content.read('level', parseInteger),
    },
    person: { content: reader.read('content', parseObject), ...readPerson(content) },
    rejections: reader.rejections,
  };
}

function readPerson(content: RecordReader) {
  return {
    login: content.read('login', parseText),
    email: content.read('email', parseText),
    phone: content.read('phone', parseText),
    name: content.read('name', parseText),
    org_name: content.read('org_name', parseText),
    gender: content.read('gender', parseText),
    address: content.read('address', parseText),
    images: content.read('images', parseArray),
  };
}
