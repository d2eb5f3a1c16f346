/** The fields of an order's line that the program reads; the catalogue fills them. All others are kept with the order's person. */
import type { orderLines } from '../warehouse/schema/orders.ts';
import { parseMoney, parsePercent, parseQuantity } from './amounts.ts';
import type { FieldTable } from './field-table.ts';
import { parseText } from './text.ts';

export type LineRow = Readonly<Omit<Required<typeof orderLines.$inferSelect>, 'shop_id'>>;

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

/** Texts of the catalogue, which staff may edit in an order. */
export const LINE_TEXTS = [
  'code',
  'name',
  'articul',
  'discount',
] as const satisfies (keyof typeof LINE_FIELDS)[];
