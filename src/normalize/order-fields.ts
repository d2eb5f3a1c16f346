/** The fields of a list row that the program reads, apart: those that are known to be impersonal, and those of persons. */
import type { OrderPerson, OrderRow } from '../warehouse/schema/orders.ts';
import { parseId, parseInteger, parseMoney, parsePercent, parseQuantity } from './numbers.ts';
import { parseFields } from './parse-fields.ts';
import { accepted, type FieldTable, type Parse } from './record-reader.ts';
import { parseCode, parseText, parseTrimmed } from './text.ts';

/** Zero means nobody. */
const parseBuyer: Parse<string> = (value) => {
  const reading = parseId(value);
  return reading.value === '0' ? accepted<string>(null) : reading;
};

export const ORDER_FIELDS = {
  order_id: { fills: {} },
  master_oid: { fills: { buyer_oid: parseBuyer } },
  created: { fills: {} },
  time: { fills: {} },
  updated: { fills: {} },
  status: { fills: { status_code: parseCode } },
  pay_status: { fills: { pay_status_code: parseCode } },
  color: { fills: { color: parseTrimmed } },
  currency: { fills: { currency: parseTrimmed } },
  pay_method: { fills: { pay_method: parseTrimmed } },
  summ: { fills: { order_sum: parseMoney } },
  paid: { fills: { paid_amount: parseMoney } },
  delivery_price: { fills: { delivery_price: parseMoney } },
  discount: { fills: { discount_raw: parseText, discount_percent: parsePercent } },
  count: { fills: { item_count: parseQuantity } },
  weight: { fills: { weight: parseQuantity } },
  delivery: { fills: { delivery_name: parseText } },
  delivery_id: { fills: { delivery_id: parseId } },
  hash: { fills: { order_hash: parseText } },
  views: { fills: { views: parseInteger } },
} as const satisfies FieldTable<OrderRow>;

export type OrderField = keyof typeof ORDER_FIELDS;

export const PERSON_FIELDS = {
  fio: { fills: { buyer_name: parseText } },
  email: { fills: { buyer_email: parseText } },
  phone: { fills: { buyer_phone: parseText } },
  address: { fills: { buyer_address: parseText } },
  comment: { fills: { comment: parseText } },
  fields: { fills: { fields: parseFields } },
} as const satisfies FieldTable<OrderPerson>;

export type PersonField = keyof typeof PERSON_FIELDS;

/** Documented, and kept with the person as they were sent. */
const UNREAD_FIELDS = ['user_unique_key', 'users'];

/** All documented fields: any other is new. */
export const DOCUMENTED_FIELDS: ReadonlySet<string> = new Set([
  ...Object.keys(ORDER_FIELDS),
  ...Object.keys(PERSON_FIELDS),
  ...UNREAD_FIELDS,
]);
