/** What is in the basket. */
import type { SimProduct } from './catalogue.ts';
import type { Random } from './random.ts';
import type { SimLine } from './sim-order.ts';

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
