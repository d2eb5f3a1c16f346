/** Makes one realistic order. */
import { type Currency, makeLines, type SimProduct } from './catalogue.ts';
import { DAY_S, HOUR_S, type LocalSeconds, MINUTE_S, toPlain } from './shop-clock.ts';
import type { makeBuyers } from './buyers.ts';
import { Random } from './random.ts';
import { computeTotals, type SimField, type SimOrder } from './sim-order.ts';
import { pickPayStatus, statusAtAge } from './statuses.ts';

export type OrderSource = {
  readonly seed: number;
  readonly catalogue: readonly SimProduct[];
  readonly pickBuyer: ReturnType<typeof makeBuyers>;
  readonly hasCustomStatuses: boolean;
};

const CURRENCIES: readonly (readonly [Currency, number])[] = [
  [{ code: 'RUB', rate: 1 }, 96],
  [{ code: 'BYN', rate: 0.035 }, 2],
  [{ code: 'EUR', rate: 0.01 }, 2],
];
const PAY_METHODS = ['card', 'card', 'cash', 'sbp', 'invoice', ''];
const COLORS = ['yellow', 'red', 'orange', 'pink', 'green', 'purple', 'blue'];
const COMMENTS = [
  'Позвоните за час до доставки',
  'Оставить у двери, код 12#34',
  'Подарок: упакуйте, пожалуйста,\nи вложите открытку «С праздником!»',
  'Call me before delivery',
  'Домофон не работает; звоните "снизу"',
];
/** Name, id and price in whole units of the catalogue's currency. */
const DELIVERIES: readonly (readonly [readonly [string, number, number], number])[] = [
  [['Курьер', 11, 390], 40],
  [['Пункт выдачи', 12, 199.5], 30],
  [['Почта', 13, 350], 12],
  [['Самовывоз', 14, 0], 12],
  [['', 0, 0], 6],
];

/**
 * The order number `index` as of `now`: its status depends on its age.
 *
 * @param created not after `now`
 */
export function makeOrder(
  source: OrderSource,
  index: number,
  orderId: number,
  created: LocalSeconds,
  now: LocalSeconds,
): SimOrder {
  const random = new Random(source.seed, 'order', index);
  const currency = random.weighted(CURRENCIES);
  const [deliveryName, deliveryId, deliveryPrice] = random.weighted(DELIVERIES);
  const orderDiscount = random.chance(0.1) ? random.pick([3, 5, 7, 10]) : 0;
  const status = statusAtAge(random, (now - created) / HOUR_S, source.hasCustomStatuses);
  const parts = {
    lines: makeLines(random, source.catalogue, currency, orderDiscount),
    deliveryPriceCents: Math.round(deliveryPrice * currency.rate * 100),
    payStatus: pickPayStatus(random, status),
  };
  return {
    orderId,
    ...source.pickBuyer(random, created),
    ...parts,
    ...computeTotals(parts),
    status,
    createdLocal: toPlain(created),
    createdText: null,
    updatedLocal: toPlain(created + changeLag(random, status, now - created)),
    color: random.chance(0.15) ? random.pick(COLORS) : '',
    currency: currency.code,
    payMethod: random.pick(PAY_METHODS),
    discount: orderDiscount === 0 ? '' : `${orderDiscount}%`,
    deliveryName,
    deliveryId,
    comment: random.chance(0.2) ? random.pick(COMMENTS) : '',
    fields: makeFields(random),
    users: random.chance(0.1) ? String(random.between(15, 19)) : '',
    hash: random.hex(32),
    views: random.below(12),
  };
}

/** Seconds from an order's creation to its last change; at most its age. */
function changeLag(random: Random, status: string, age: number): number {
  const lag = usualLag(random, status);
  return lag <= age ? lag : random.below(age + 1);
}

function usualLag(random: Random, status: string): number {
  if (status === '' || status === 'U' || status === 'A') return random.below(20 * MINUTE_S);
  if ('CFQRK'.includes(status)) return 2 * DAY_S + random.below(14 * DAY_S);
  return random.below(3 * DAY_S);
}

function makeFields(random: Random): readonly SimField[] {
  const fields: SimField[] = [];
  if (random.chance(0.8)) {
    const value = random.pick(['Поиск', 'Реклама', 'Instagram', 'Друзья']);
    fields.push({ key: 'source', value, label: 'Откуда узнали' });
  }
  if (random.chance(0.4)) {
    const from = random.between(9, 18);
    fields.push({ key: 'delivery_time', value: `с ${from}:00 до ${from + 3}:00`, label: 'Время доставки' });
  }
  if (random.chance(0.15)) fields.push({ key: 'bonus', value: random.below(500), label: 'Бонусы' });
  if (random.chance(0.1)) {
    // Quotes and semicolons trip a parser that searches for delimiters instead of counting.
    const value = random.pick(['ООО "Ромашка"; склад 2', 'ИП Ёлкина {опт}', '"";s:1:"x";']);
    fields.push({ key: 'company', value, label: 'Организация' });
  }
  return fields;
}
