/** An element of the group list as a row of core.user_groups. */
import type { JsonObject } from '../model/json.ts';
import type { userGroups } from '../warehouse/schema/users.ts';
import { parseInteger } from './amounts.ts';
import { NOT_AN_ID, parseId } from './id.ts';
import { type LocalTime, localText, parseLocalTime, type ShopZone } from './local-time.ts';
import { type Parse, RecordReader } from './record-reader.ts';
import type { Normalized } from './rejection.ts';
import { parseFlag, parseText } from './text.ts';

export type GroupRow = Readonly<Omit<Required<typeof userGroups.$inferSelect>, 'shop_id' | 'deleted_at'>>;

/** Reads a group; without a usable `oid` there is no row. Never throws. */
export function normalizeGroup(record: JsonObject, shop: ShopZone): Normalized<GroupRow> {
  const reader = new RecordReader(record, { resource: 'group', sourceKey: null });
  const parseTime: Parse<LocalTime> = (value) => parseLocalTime(value, shop);
  const groupOid = reader.readKey('oid', parseId);
  if (groupOid === null) return reader.unusable('oid', NOT_AN_ID);
  return {
    row: {
      group_oid: groupOid,
      parent_oid: reader.read('parent_oid', parseId),
      name: reader.read('name', parseText),
      url: reader.read('url', parseText),
      type: reader.read('type', parseFlag),
      template: reader.read('template', parseText),
      visible: reader.read('visible', parseFlag),
      sort: reader.read('sort', parseInteger),
      owner_oid: reader.read('master_oid', parseId),
      access: reader.read('access', parseFlag),
      created_local: localText(reader.read('created', parseTime)),
      updated_local: localText(reader.read('updated', parseTime)),
    },
    rejections: reader.rejections,
  };
}
