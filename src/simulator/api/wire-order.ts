/** Orders and their lines as the API shows them. */
import type { JsonValue } from '../../json.ts';
import type { Dialect } from './dialect.ts';
import { clockMinute, dottedDate, isoSeconds } from '../shop/shop-clock.ts';
import { phpSerialize, type PhpValue } from './php-serialize.ts';
import type { SimField, SimLine, SimOrder } from '../shop/sim-order.ts';
import { type WireRecord, type WireValue, wireValues } from './wire-values.ts';
import type { World } from '../shop/world.ts';

/** More texts than this are not kept: a row takes about two kilobytes. */
const KEPT_ROWS = 20_000;

/** JSON texts of list rows, kept until their order changes: an order is a new object then. */
export class RowWriter {
  readonly #world: World;
  #dialect;
  #values;
  readonly #kept = new Map<number, { readonly order: SimOrder; readonly text: string }>();

  constructor(world: World) {
    this.#world = world;
    this.#dialect = world.dialect;
    this.#values = wireValues(world.dialect);
  }

  /** The JSON text of the order's element of `orders`. */
  row(order: SimOrder): string {
    this.#followDialect();
    const raw = this.#world.overrides.rows.get(order.orderId);
    if (raw !== undefined) return JSON.stringify({ ...this.#record(order), ...raw });
    const kept = this.#kept.get(order.orderId);
    if (kept?.order === order) return kept.text;
    const text = JSON.stringify(this.#record(order));
    if (this.#kept.size >= KEPT_ROWS) this.#kept.clear();
    this.#kept.set(order.orderId, { order, text });
    return text;
  }

  /** The elements of `ordercontent`. */
  lines(order: SimOrder): readonly JsonValue[] | readonly WireRecord[] {
    this.#followDialect();
    return this.#world.overrides.contents.get(order.orderId) ?? order.lines.map((line) => this.#line(line));
  }

  #followDialect(): void {
    if (this.#dialect === this.#world.dialect) return;
    this.#dialect = this.#world.dialect;
    this.#values = wireValues(this.#dialect);
    this.#kept.clear();
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
      fields: wireFields(order.fields, this.#world.dialect),
      status: text(order.status),
      pay_status: text(order.payStatus),
      currency: text(order.currency),
      pay_method: text(order.payMethod),
      summ: money(order.sumCents),
      count: whole(order.itemCount),
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
      time:
        order.createdText === ''
          ? ''
          : order.createdText === null
            ? clockMinute(order.createdLocal)
            : '00:00',
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

/** The additional fields in the dialect's encoding; without any, the empty text, or `[]` where decoded. */
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
