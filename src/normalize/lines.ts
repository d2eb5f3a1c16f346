/** The content of an order as rows of core.order_lines. */
import { isJsonObject, type JsonValue } from '../model/json.ts';
import type { LineRow } from '../warehouse/schema/orders.ts';
import { NOT_AN_ID, parseId, parseMoney, parsePercent, parseQuantity } from './numbers.ts';
import { columnsByField, type ColumnTable, RecordReader } from './record-reader.ts';
import { parseText } from './text.ts';
import { excerpt, type Rejection } from './rejection.ts';

/** The catalogue fills them. All other fields are kept with the order's person. */
const LINE_COLUMNS = {
  line_oid: ['oid', parseText],
  code: ['code', parseText],
  product_name: ['name', parseText],
  sku: ['articul', parseText],
  quantity: ['count', parseQuantity],
  unit_price: ['price', parseMoney],
  line_total: ['total', parseMoney],
  list_price: ['oldprice', parseMoney],
  list_total: ['oldtotal', parseMoney],
  discount_raw: ['discount', parseText],
  discount_percent: ['discount', parsePercent],
} as const satisfies ColumnTable<LineRow>;

export const LINE_FIELDS = columnsByField(LINE_COLUMNS, []);

/** The maximum of `line_no`, a smallint. */
const MAX_LINES = 32_767;
const NOT_A_LINE = 'an element of the content is not an object';
const TOO_MANY_LINES = 'lines past the first 32767 were left out';
/** The field that holds them: the record itself was read. */
const LINES = 'ordercontent';

/**
 * Reads the lines of one order. `line_no` is the position in the content, from 1, unreadable elements included.
 * Rejections have the order's id; equal ones of several lines are merged.
 */
export function normalizeLines(orderId: string, lines: readonly JsonValue[]) {
  const rows: LineRow[] = [];
  const rejections = new Map<string, Rejection>();
  const keep = (rejection: Rejection) =>
    rejections.set(JSON.stringify([rejection.field, rejection.reason, rejection.value]), rejection);
  const reject = (reason: string, value: string | null) =>
    keep({ resource: 'content', sourceKey: orderId, field: LINES, reason, value });

  for (const [index, line] of lines.slice(0, MAX_LINES).entries()) {
    if (!isJsonObject(line)) {
      reject(NOT_A_LINE, excerpt(line));
      continue;
    }
    const record = new RecordReader(line, 'content', orderId);
    rows.push(readLine(record, orderId, index + 1));
    record.rejections.forEach(keep);
  }
  if (lines.length > MAX_LINES) reject(TOO_MANY_LINES, String(lines.length - MAX_LINES));
  return { rows, rejections: [...rejections.values()] };
}

function readLine(record: RecordReader, orderId: string, lineNo: number): LineRow {
  const columns = record.readColumns(LINE_COLUMNS);
  const parts = splitLineOid(record, columns.line_oid);
  return { order_id: orderId, line_no: lineNo, ...columns, ...parts, withheld: 0 };
}

/** `<product>_<hash of the chosen specifications>`; the hash may contain the separator too. */
function splitLineOid(record: RecordReader, lineOid: string | null) {
  const [product = ''] = lineOid?.split('_', 1) ?? [];
  const productOid = parseId(product).value;
  if (lineOid !== null && productOid === null) record.reject('oid', NOT_AN_ID, lineOid);
  return { product_oid: productOid, spec_hash: lineOid?.slice(product.length + 1) || null };
}
