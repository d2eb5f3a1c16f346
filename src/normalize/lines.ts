/** The content of an order as rows of core.order_lines. */
import { isJsonObject, type JsonValue } from '../model/json.ts';
import type { LineRow } from '../warehouse/schema/orders.ts';
import { NOT_AN_ID, parseId, parseMoney, parsePercent, parseQuantity } from './numbers.ts';
import { columnReader, type FieldTable, RecordReader } from './record-reader.ts';
import { parseText } from './text.ts';
import { excerpt, type Rejection } from './rejection.ts';

/** The fields that the program reads; the catalogue fills them. All others are kept with the order's person. */
export const LINE_FIELDS = {
  oid: { fills: { line_oid: parseText } },
  code: { fills: { code: parseText } },
  name: { fills: { product_name: parseText } },
  articul: { fills: { sku: parseText } },
  count: { fills: { quantity: parseQuantity } },
  price: { fills: { unit_price: parseMoney } },
  total: { fills: { line_total: parseMoney } },
  oldprice: { fills: { list_price: parseMoney } },
  oldtotal: { fills: { list_total: parseMoney } },
  discount: { fills: { discount_raw: parseText, discount_percent: parsePercent } },
} as const satisfies FieldTable<LineRow>;

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
    const record = new RecordReader<keyof typeof LINE_FIELDS>(line, {
      resource: 'content',
      sourceKey: orderId,
    });
    rows.push(readLine(record, orderId, index + 1));
    record.rejections.forEach(keep);
  }
  if (lines.length > MAX_LINES) reject(TOO_MANY_LINES, String(lines.length - MAX_LINES));
  return { rows, rejections: [...rejections.values()] };
}

const readColumns = columnReader(LINE_FIELDS);

function readLine(record: RecordReader<keyof typeof LINE_FIELDS>, orderId: string, lineNo: number): LineRow {
  const columns = readColumns(record);
  return {
    order_id: orderId,
    line_no: lineNo,
    ...columns,
    ...splitLineOid(record, columns.line_oid),
    withheld: 0,
  };
}

/** `<product>_<hash of the chosen specifications>`; the hash may contain the separator too. */
function splitLineOid(record: RecordReader<'oid'>, lineOid: string | null) {
  const [product = ''] = lineOid?.split('_', 1) ?? [];
  const productOid = parseId(product).value;
  if (lineOid !== null && productOid === null) record.reject('oid', NOT_AN_ID, lineOid);
  return { product_oid: productOid, spec_hash: lineOid?.slice(product.length + 1) || null };
}
