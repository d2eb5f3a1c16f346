/** An element of the group list as a row of core.user_groups. */
import type { JsonObject } from '../model/json.ts';
import type { GroupRow } from '../warehouse/schema/users.ts';
import { NOT_AN_ID, parseId, parseInteger } from './numbers.ts';
import { type LocalTime, localText, parseLocalTime, type ShopZone } from './local-time.ts';
import { columnReader, type FieldTable, type Parse, RecordReader } from './record-reader.ts';
import type { Normalized } from './rejection.ts';
import { parseFlag, parseText } from './text.ts';

export const GROUP_FIELDS = {
  oid: { fills: {} },
  parent_oid: { fills: { parent_oid: parseId } },
  name: { fills: { name: parseText } },
  url: { fills: { url: parseText } },
  type: { fills: { type: parseFlag } },
  template: { fills: { template: parseText } },
  visible: { fills: { visible: parseFlag } },
  sort: { fills: { sort: parseInteger } },
  master_oid: { fills: { owner_oid: parseId } },
  access: { fills: { access: parseFlag } },
  created: { fills: {} },
  updated: { fills: {} },
} as const satisfies FieldTable<GroupRow>;

const readColumns = columnReader(GROUP_FIELDS);

/** Reads a group; without a usable `oid` there is no row. Never throws. */
export function normalizeGroup(record: JsonObject, shop: ShopZone): Normalized<GroupRow> {
  const reader = new RecordReader<keyof typeof GROUP_FIELDS>(record, { resource: 'group', sourceKey: null });
  const parseTime: Parse<LocalTime> = (value) => parseLocalTime(value, shop);
  const groupOid = reader.readKey('oid', parseId);
  if (groupOid === null) return reader.unusable('oid', NOT_AN_ID);
  return {
    row: {
      group_oid: groupOid,
      ...readColumns(reader),
      created_local: localText(reader.read('created', parseTime)),
      updated_local: localText(reader.read('updated', parseTime)),
    },
    rejections: reader.rejections,
  };
}
