/** The fields of a list row that the program reads, apart: those that are known to be impersonal, and those of persons. */
import type { BookkeepingColumn, orderPersons, orders } from '../warehouse/schema/orders.ts';
import { parseInteger, parseMoney, parsePercent, parseQuantity } from './amounts.ts';
import { parseFields } from './parse-fields.ts';
import { parseId } from './id.ts';
import { accepted, type Field, type FieldTable, type Parse } from './record-reader.ts';
import { mayHoldContact } from './shown-text.ts';
import { parseCode, parseText, parseTrimmed } from './text.ts';

/** The columns that come from the wire, without the bookkeeping. */
export type OrderRow = Readonly<Omit<Required<typeof orders.$inferSelect>, 'shop_id' | BookkeepingColumn>>;

/** What an order says of its buyer, and what somebody typed. */
export type OrderPerson = Readonly<
  Omit<Required<typeof orderPersons.$inferSelect>, 'shop_id' | 'order_id' | 'rest' | 'content_rest'>
>;

/** Zero means nobody. */
const parseBuyer: Parse<string> = (value) => {
  const reading = parseId(value);
  return reading.value === '0' ? accepted<string>(null) : reading;
};

/** What a field may hold that names no person, as it is kept where a record is stored without its person. */
export type Kept = {
  /** Which texts are kept; undefined: a figure, of which everything is kept that can be read. */
  readonly fits: ((text: string) => boolean) | undefined;
  /** Somebody may edit it, and may have put somebody's contact into it: dropped where it holds an erased one. */
  readonly isEdited: boolean;
};

const MAX_STATE_LENGTH = 64;
const MAX_TEXT_LENGTH = 256;
/** What codes of payments, colours and the like are made of; names in other scripts, and sentences, are not. */
const PLAIN_CODE = /^[\w.,%#+-]{1,32}$/;
const CURRENCY = /^(?:\p{Sc}|\p{L}{1,4}\.?)$/u;
const DISCOUNT = /^[-\d.,% ]{1,16}$/;
const code = (pattern: RegExp): Kept => ({
  fits: (text) => pattern.test(text.trim()) && !mayHoldContact(text),
  isEdited: true,
});

/** Identifiers, amounts and times, which may look like phone numbers. */
export const figure: Kept = { fits: undefined, isEdited: false };
/** A flag or state that the shop's software sets. */
export const state: Kept = { fits: (text) => text.length <= MAX_STATE_LENGTH, isEdited: false };
/** Opens a page of the order to whoever has it. */
export const key: Kept = { fits: () => false, isEdited: true };
/** A text that staff may edit in an order: without phone numbers, dates of birth and the like. */
export const editedText: Kept = {
  fits: (text) => text.length <= MAX_TEXT_LENGTH && !mayHoldContact(text),
  isEdited: true,
};
/** A code of the shop: one word in Latin letters. */
export const editedCode = code(PLAIN_CODE);
export const discount = code(DISCOUNT);
export const currency = code(CURRENCY);

/** `kept`: what is left of the field in an order that is stored without its person. */
export const ORDER_FIELDS = {
  order_id: { fills: {}, kept: figure },
  master_oid: { fills: { buyer_oid: parseBuyer }, kept: figure },
  created: { fills: {}, kept: figure },
  time: { fills: {}, kept: figure },
  updated: { fills: {}, kept: figure },
  status: { fills: { status_code: parseCode }, kept: state },
  pay_status: { fills: { pay_status_code: parseCode }, kept: state },
  color: { fills: { color: parseTrimmed }, kept: editedCode },
  currency: { fills: { currency: parseTrimmed }, kept: currency },
  pay_method: { fills: { pay_method: parseTrimmed }, kept: editedCode },
  summ: { fills: { order_sum: parseMoney }, kept: figure },
  paid: { fills: { paid_amount: parseMoney }, kept: figure },
  delivery_price: { fills: { delivery_price: parseMoney }, kept: figure },
  discount: { fills: { discount_raw: parseText, discount_percent: parsePercent }, kept: discount },
  count: { fills: { item_count: parseQuantity }, kept: figure },
  weight: { fills: { weight: parseQuantity }, kept: figure },
  delivery: { fills: { delivery_name: parseText }, kept: editedText },
  delivery_id: { fills: { delivery_id: parseId }, kept: figure },
  hash: { fills: { order_hash: parseText }, kept: key },
  views: { fills: { views: parseInteger }, kept: figure },
} as const satisfies FieldTable<OrderRow> &
  Readonly<Record<string, Field<OrderRow> & { readonly kept: Kept }>>;

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
