/** An element of the group list as a row of core.user_groups. */
import type { JsonObject } from '../model/json.ts';
import type { GroupRow } from '../warehouse/schema/users.ts';
import { NOT_AN_ID, parseId, parseInteger } from './numbers.ts';
import { localText, readTime, type ShopZone } from './local-time.ts';
import { columnsByField, type ColumnTable, RecordReader } from './record-reader.ts';
import { type Normalized, unusable } from './rejection.ts';
import { parseFlag, parseText } from './text.ts';

const GROUP_COLUMNS = {
  parent_oid: ['parent_oid', parseId],
  name: ['name', parseText],
  url: ['url', parseText],
  type: ['type', parseFlag],
  template: ['template', parseText],
  visible: ['visible', parseFlag],
  sort: ['sort', parseInteger],
  owner_oid: ['master_oid', parseId],
  access: ['access', parseFlag],
} as const satisfies ColumnTable<GroupRow>;

export const GROUP_FIELDS = columnsByField(GROUP_COLUMNS, ['oid', 'created', 'updated']);

/** Reads a group; without a usable `oid` there is no row. Never throws. */
export function normalizeGroup(record: JsonObject, shop: ShopZone): Normalized<GroupRow> {
  const { oid = null } = record;
  const groupOid = parseId(oid).value;
  if (groupOid === null) return unusable({ resource: 'group', sourceKey: null }, NOT_AN_ID, oid);
  const reader = new RecordReader(record, 'group', groupOid);
  return {
    row: {
      group_oid: groupOid,
      // A column that the type checker misses here lacks its field in GROUP_COLUMNS.
      ...reader.readColumns(GROUP_COLUMNS),
      created_local: localText(readTime(reader, 'created', shop)),
      updated_local: localText(readTime(reader, 'updated', shop)),
    },
    rejections: reader.rejections,
  };
}
