/** The fields of an order's line that the program reads. All others are kept in the raw payload only. */
import type { orderLines } from '../warehouse/schema/orders.ts';
import { parseMoney, parsePercent, parseQuantity } from './amounts.ts';
import type { FieldTable } from './field-table.ts';
import { catalogText, discount, figure, type KnownFields, textId } from './privacy/kept.ts';
import { parseText } from './text.ts';

export type LineRow = Readonly<Omit<Required<typeof orderLines.$inferSelect>, 'shop_id'>>;

/** `kept` is never null: where `RAW_KEPT` removed the payload of lines, `forget` does not reach their rows. */
type Impersonal = Readonly<Record<string, { readonly kept: KnownFields[string] }>>;

export const LINE_FIELDS = {
  oid: { fills: { line_oid: parseText }, kept: textId },
  code: { fills: { code: parseText }, kept: catalogText },
  name: { fills: { product_name: parseText }, kept: catalogText },
  articul: { fills: { sku: parseText }, kept: catalogText },
  count: { fills: { quantity: parseQuantity }, kept: figure(parseQuantity) },
  price: { fills: { unit_price: parseMoney }, kept: figure(parseMoney) },
  total: { fills: { line_total: parseMoney }, kept: figure(parseMoney) },
  oldprice: { fills: { list_price: parseMoney }, kept: figure(parseMoney) },
  oldtotal: { fills: { list_total: parseMoney }, kept: figure(parseMoney) },
  discount: { fills: { discount_raw: parseText, discount_percent: parsePercent }, kept: discount },
} as const satisfies FieldTable<LineRow> & Impersonal;
