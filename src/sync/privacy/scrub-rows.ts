/** Orders without a payload, as if the row were one. */
import type { Cleared } from '../../cleared.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts';
import { orderFieldOf } from '../../normalize/order-fields.ts';
import { SCRUB_MARK, type Privacy } from '../../normalize/privacy/privacy.ts';
import { readOrder } from '../../normalize/privacy/read-records.ts';
import type { ShopZone } from '../../normalize/local-time.ts';
import {
  type OrderWithoutPayload,
  type RowWithoutPayload,
  TEXT_COLUMNS,
} from '../../warehouse/orders/rows-without-payload.ts';

type Shop = ShopZone & { readonly guestSecret: string };

export type ScrubbedRow = {
  readonly orderId: string;
  /** Undefined: as stored. */
  readonly row: Cleared<RowWithoutPayload> | undefined;
  readonly content: Cleared<JsonObject> | undefined;
};

/** @returns undefined where nothing is to be removed */
export function scrubOrderRow(
  privacy: Privacy,
  { row: stored, content: answer }: OrderWithoutPayload,
  shop: Shop,
): ScrubbedRow | undefined {
  const row = scrubRow(privacy, stored, shop);
  const isScrubbed = privacy.order(toPayload(stored)).scrubbed !== undefined;
  const content = isJsonObject(answer) ? privacy.content(answer, isScrubbed) : undefined;
  const isContentNew = content !== answer;
  if (row === undefined && !isContentNew) return undefined;
  return { orderId: stored.order_id, row, content: isContentNew ? content : undefined };
}

function scrubRow(
  privacy: Privacy,
  stored: RowWithoutPayload,
  shop: Shop,
): Cleared<RowWithoutPayload> | undefined {
  const plain = toPayload(stored);
  const marked = { ...plain, [SCRUB_MARK]: { customer_key: stored.customer_key } };
  const isScrubbed = privacy.order(plain).scrubbed !== undefined;
  const before = isScrubbed ? marked : plain;
  const { row, payload } = readOrder(privacy, before, shop, { isStored: isScrubbed });
  if (payload === before || row === undefined) return undefined;
  const fingerprint = isScrubbed ? privacy.keyedFingerprint(stored.fingerprint) : stored.fingerprint;
  // A guest's key cannot be made from a row that has lost its contacts already.
  const customer_key = isScrubbed ? row.customer_key : stored.customer_key;
  return { ...row, customer_key, fingerprint };
}

function toPayload(row: RowWithoutPayload): JsonObject {
  const texts = TEXT_COLUMNS.flatMap((column): [string, JsonValue][] => {
    const field = orderFieldOf(column);
    const value = row[column];
    return field === undefined || value === null || value === undefined ? [] : [[field, value]];
  });
  return {
    order_id: row.order_id,
    ...(row.buyer_oid === null || row.buyer_oid === undefined ? {} : { master_oid: row.buyer_oid }),
    ...Object.fromEntries(texts),
    ...(isJsonObject(row.fields) ? { fields: toSentFields(row.fields) } : {}),
  };
}

/** The shop calls a label otherwise. */
function toSentFields(fields: JsonObject): JsonObject {
  const entries = Object.entries(fields).map(([key, entry]): [string, JsonValue] => {
    const { value = null, name = null, label = null } = isJsonObject(entry) ? entry : {};
    return [key, { value, name, runame: label }];
  });
  return Object.fromEntries(entries);
}
