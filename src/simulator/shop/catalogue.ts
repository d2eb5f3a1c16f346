/** The goods on the shelf. */
import { Random } from './random.ts';
import type { SimLine } from './sim-order.ts';

export type SimProduct = {
  readonly oid: number;
  readonly name: string;
  readonly code: string;
  /** May be empty: not every product has an article. */
  readonly articul: string;
  readonly priceCents: number;
  readonly weightGrams: number;
  /** Hashes of the specifications (size, colour) that can be ordered. */
  readonly specHashes: readonly string[];
};

const PRODUCTS = 200;
const FIRST_OID = 500_001;

/** Kinds of goods with their usual price in whole units and weight in grams. */
const KINDS = [
  'Чайник 2490 1200, Плед 3190 1400, Кружка 590 350, Рюкзак 4290 900, Настольная лампа 2890 1600',
  'Подушка 1390 800, Набор ножей 3790 1900, Термос 1890 700, Сковорода 2690 2100, Фоторамка 790 400',
  'Зонт 1690 450, Коврик для йоги 1990 1100, Кофе в зёрнах 1290 1000, Чай листовой 490 200',
  'Ежедневник 890 380, Гирлянда 690 250, Полотенце 990 500, Скатерть 1590 600, Ваза 2190 1300, Свеча 390 220',
].flatMap((line) => line.split(', ').map(parseKind));
const VARIETIES =
  '«Север»|«Классика»|«Лён и хлопок»|«Дача»|«Байкал»|Nordic, 2 шт.|«Вечер»|Premium 0,5 л|"Ёлочка"|«Москва»'.split(
    '|',
  );

function parseKind(text: string) {
  const [weight, price, ...name] = text.split(' ').toReversed();
  return { name: name.toReversed().join(' '), price: Number(price), weight: Number(weight) };
}

/** About 200 products with Cyrillic names and prices of 1 to some 5,000 units. */
export function makeCatalogue(seed: number): readonly SimProduct[] {
  return Array.from({ length: PRODUCTS }, (_, index) => makeProduct(seed, index));
}

function makeProduct(seed: number, index: number): SimProduct {
  const random = new Random(seed, 'product', index);
  const { name, price, weight } = KINDS[index % KINDS.length] ?? { name: 'Товар', price: 1000, weight: 500 };
  const variety = VARIETIES[Math.floor(index / KINDS.length) % VARIETIES.length] ?? '';
  const number = String(index + 1).padStart(4, '0');
  return {
    oid: FIRST_OID + index * 3,
    name: `${name} ${variety}`,
    code: `T${number}`,
    articul: random.chance(0.15) ? '' : `АР-${number}`,
    priceCents: Math.round(price * (0.6 + random.next() * 0.8)) * 100 + random.pick([0, 0, 0, 50, 90, 99]),
    weightGrams: Math.round(weight * (0.8 + random.next() * 0.4)),
    specHashes: Array.from({ length: random.between(1, 3) }, () => random.hex(32)),
  };
}

/** Price of a catalogue unit in the order's currency. */
export type Currency = { readonly code: string; readonly rate: number };

/** By weight. */
const LINE_COUNTS = Object.entries({ 1: 40, 2: 26, 3: 16, 4: 9, 5: 6, 6: 3 });
const QUANTITIES = Object.entries({ 1: 78, 2: 14, 3: 5, 5: 2, 10: 1 });
const LINE_DISCOUNTS = [5, 10, 15, 20, 33];

/**
 * 1 to 6 lines, each of another product, popular products more often.
 *
 * @param orderDiscount whole percent off every line
 */
export function makeLines(
  random: Random,
  catalogue: readonly SimProduct[],
  currency: Currency,
  orderDiscount: number,
): readonly SimLine[] {
  const count = Number(random.weighted(LINE_COUNTS));
  const products = new Set<SimProduct>();
  while (products.size < count) {
    products.add(catalogue[Math.floor(catalogue.length * random.next() ** 1.8)] ?? random.pick(catalogue));
  }
  return [...products].map((product) => {
    const own = random.chance(0.12) ? random.pick(LINE_DISCOUNTS) : 0;
    return makeLine(random, product, currency, Math.max(own, orderDiscount));
  });
}

function makeLine(random: Random, product: SimProduct, currency: Currency, discountPercent: number): SimLine {
  const quantity = Number(random.weighted(QUANTITIES));
  const listPriceCents = Math.max(1, Math.round(product.priceCents * currency.rate));
  const unitPriceCents = Math.round((listPriceCents * (100 - discountPercent)) / 100);
  return {
    oid: `${product.oid}_${random.pick(product.specHashes)}`,
    productOid: product.oid,
    code: product.code,
    name: product.name,
    articul: product.articul,
    quantity,
    discountPercent,
    unitPriceCents,
    totalCents: unitPriceCents * quantity,
    listPriceCents,
    listTotalCents: listPriceCents * quantity,
    unitWeightGrams: product.weightGrams,
  };
}
