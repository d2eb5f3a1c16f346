/** The fields of the shop's records that are known to be impersonal, and what they can hold. */
import { parseInteger, parseMoney, parseQuantity } from '../amounts.ts';
import { parseId } from '../id.ts';
import { parseClock, parseLocalDate, parseLocalTime, type ShopZone } from '../local-time.ts';
import { accepted, type Parse, refused } from '../reading.ts';
import { parseFlag, parseText } from '../text.ts';

type Shop = { readonly shop: ShopZone };

/** Readers of the fields that are kept, by name. */
export type Known = Readonly<Record<string, Parse<unknown>>>;

const LONGEST_CODE = 64;
/** What codes of payments, colours and the like are made of; names in other scripts, and sentences, are not. */
const PLAIN_CODE = /^[\w.,%#+-]{1,32}$/;
const CURRENCY = /^(?:\p{Sc}|\p{L}{1,4}\.?)$/u;
const MANY_DIGITS = /(?:\d\D{0,3}){7}/;

/** A code or a text that the shop made, not the buyer. */
const shopText: Parse<string> = (value) => {
  const reading = parseText(value);
  return (reading.value?.length ?? 0) > LONGEST_CODE * 4 ? refused('') : reading;
};
/** A text that staff may edit in an order: without phone numbers, dates of birth and the like. */
const writtenText: Parse<string> = (value) => {
  const reading = shopText(value);
  return reading.value !== null && MANY_DIGITS.test(reading.value) ? refused('') : reading;
};
const code: Parse<string> = (value) => {
  const reading = parseFlag(value);
  return (reading.value?.length ?? 0) > LONGEST_CODE ? refused('') : reading;
};
const codeLike =
  (pattern: RegExp): Parse<string> =>
  (value) => {
    const reading = parseFlag(value);
    const { value: text } = reading;
    const isCode = text === null || (pattern.test(text.trim()) && !MANY_DIGITS.test(text));
    return isCode ? reading : refused('');
  };
const plainCode = codeLike(PLAIN_CODE);
const discount = codeLike(/^[-\d.,% ]{1,16}$/);
const currency = codeLike(CURRENCY);
const number: Parse<unknown> = (value) =>
  typeof value === 'boolean' ? accepted<unknown>(value) : parseInteger(value);

/** Of these, the sign would be a text like any other. */
export const TEXTS: ReadonlySet<Parse<unknown>> = new Set([
  shopText,
  writtenText,
  code,
  plainCode,
  discount,
  currency,
]);

export const orderFields = ({ shop }: Shop): Known => ({
  order_id: parseId,
  ...stamps(shop),
  time: parseClock,
  status: code,
  pay_status: code,
  color: plainCode,
  currency,
  pay_method: plainCode,
  summ: parseMoney,
  paid: parseMoney,
  delivery_price: parseMoney,
  discount,
  count: parseInteger,
  weight: parseQuantity,
  delivery: writtenText,
  delivery_id: parseId,
  master_oid: parseId,
  views: parseInteger,
});

export const lineFields: Known = {
  oid: shopText,
  code: shopText,
  name: shopText,
  articul: shopText,
  count: parseQuantity,
  price: parseMoney,
  total: parseMoney,
  oldprice: parseMoney,
  oldtotal: parseMoney,
  discount,
};

export const answerFields: Known = { order_id: parseId, oid: parseId, success: number };

export const userFields = ({ shop }: Shop): Known => ({
  oid: parseId,
  parent_oid: parseId,
  master_oid: parseId,
  visible: code,
  access: code,
  ...stamps(shop),
  success: number,
});

function stamps(shop: ShopZone): Known {
  return {
    created: (value) => parseLocalDate(value, shop),
    updated: (value) => parseLocalTime(value, shop),
  };
}
