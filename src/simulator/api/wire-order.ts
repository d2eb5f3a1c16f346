/** Orders and their lines as the API shows them. */
import type { JsonValue } from '../../model/json.ts';
import type { Dialect } from '../shop/dialect.ts';
import { clockMinute, dottedDate, isoSeconds } from '../shop/shop-clock.ts';
import { phpSerialize, type PhpValue } from './php-serialize.ts';
import type { SimField, SimLine, SimOrder } from '../shop/sim-order.ts';
import { type WireRecord, type WireValue, wireValues } from './wire-values.ts';
import type { SimulatedShop } from '../shop/simulated-shop.ts';

/** Bounds the cache: a row takes about two kilobytes. */
const MAX_CACHED_ROWS = 20_000;

/** Writes list rows as JSON text, cached until their order changes: an order is a new object then. */
export class RowWriter {
  readonly #shop: SimulatedShop;
  #dialect;
  #values;
  readonly #cache = new Map<number, { readonly order: SimOrder; readonly text: string }>();

  constructor(shop: SimulatedShop) {
    this.#shop = shop;
    this.#dialect = shop.dialect;
    this.#values = wireValues(shop.dialect);
  }

  /** The JSON text of the order's element of `orders`. */
  row(order: SimOrder): string {
    this.#followDialect();
    const raw = this.#shop.rawRows.get(order.orderId);
    if (raw !== undefined) return JSON.stringify({ ...this.#record(order), ...raw });
    const cached = this.#cache.get(order.orderId);
    if (cached?.order === order) return cached.text;
    const text = JSON.stringify(this.#record(order));
    if (this.#cache.size >= MAX_CACHED_ROWS) this.#cache.clear();
    this.#cache.set(order.orderId, { order, text });
    return text;
  }

  /** The elements of `ordercontent`. */
  lines(order: SimOrder): readonly JsonValue[] | readonly WireRecord[] {
    this.#followDialect();
    return this.#shop.rawContents.get(order.orderId) ?? order.lines.map((line) => this.#line(line));
  }

  #followDialect(): void {
    if (this.#dialect === this.#shop.dialect) return;
    this.#dialect = this.#shop.dialect;
    this.#values = wireValues(this.#dialect);
    this.#cache.clear();
  }

  #record(order: SimOrder): WireRecord {
    const { whole, money, weight, text } = this.#values;
    return {
      order_id: whole(order.orderId),
      phone: text(order.phone),
      email: text(order.email),
      address: text(order.address),
      comment: text(order.comment),
      fio: text(order.fio),
      fields: wireFields(order.fields, this.#dialect),
      status: text(order.status),
      pay_status: text(order.payStatus),
      currency: text(order.currency),
      pay_method: text(order.payMethod),
      summ: money(wireSum(order, this.#dialect)),
      count: whole(wireCount(order, this.#dialect)),
      paid: money(order.paidCents),
      discount: text(order.discount),
      delivery: text(order.deliveryName),
      delivery_id: whole(order.deliveryId),
      delivery_price: money(order.deliveryPriceCents),
      weight: weight(order.weightGrams),
      master_oid: whole(order.buyerOid),
      views: whole(order.views),
      user_unique_key: text(order.userUniqueKey),
      color: text(order.color),
      users: text(order.users),
      created: order.createdText ?? dottedDate(order.createdLocal),
      updated: isoSeconds(order.updatedLocal),
      time: wireTime(order),
      hash: text(order.hash),
    };
  }

  #line(line: SimLine): WireRecord {
    const { whole, money, text } = this.#values;
    return {
      oid: line.oid,
      code: text(line.code),
      name: text(line.name),
      count: whole(line.quantity),
      price: money(line.unitPriceCents),
      total: money(line.totalCents),
      articul: text(line.articul),
      discount: `${line.discountPercent}%`,
      oldprice: money(line.listPriceCents),
      oldtotal: money(line.listTotalCents),
    };
  }
}

function wireCount({ itemCount, lines, orderId }: SimOrder, { counts }: Dialect): number {
  if (counts === 'units') return itemCount;
  return counts === 'lines' ? lines.length : orderId % 11;
}

/** An edited sum stays apart from the lines. */
function wireSum(order: SimOrder, { sums }: Dialect): number {
  if (sums === 'total+delivery') return order.sumCents;
  if (sums === 'none') return order.orderId * 7;
  const add = (value: (line: SimLine) => number) => order.lines.reduce((sum, line) => sum + value(line), 0);
  const [total, list] = [add((line) => line.totalCents), add((line) => line.listTotalCents)];
  const goods = sums === 'total' ? 0 : list - total;
  return order.sumCents + goods - (sums === 'list+delivery' ? 0 : order.deliveryPriceCents);
}

function wireTime({ createdText, createdLocal }: SimOrder): string {
  if (createdText === null) return clockMinute(createdLocal);
  return createdText === '' ? '' : '00:00';
}

/** The additional fields in the dialect's encoding; empty text if there are none, or `[]` where decoded. */
function wireFields(fields: readonly SimField[], dialect: Dialect): WireValue {
  if (fields.length === 0 && dialect.fields !== 'decoded') return wireValues(dialect).text('');
  const described = dialect.fieldValues === 'described';
  const entries = fields.map(({ key, value, label }): readonly [string, PhpValue] => [
    key,
    described ? { value, name: key, runame: label } : value,
  ]);
  const map = Object.fromEntries(entries);
  if (dialect.fields === 'json') return JSON.stringify(map);
  // PHP encodes a map without entries as an array.
  if (dialect.fields === 'decoded') return fields.length === 0 ? [] : map;
  // In windows-1251 a character is a byte.
  const isByBytes = dialect.fields === 'php' && dialect.charset === 'utf-8';
  return phpSerialize(map, isByBytes ? 'bytes' : 'characters');
}
