/** The figures that the views give for a shop, and those that plain arithmetic gives, made alike to compare. */
import { eq } from 'drizzle-orm';

import type { Db } from '../../../src/warehouse/db/database.ts';
import { biCustomers } from '../../support/views/customers.ts';
import { biDailySales, biProductSales } from '../../support/views/sales.ts';
import { customers, dailySales, type Order, productSales } from './views-oracle.ts';

export async function figuresOf(db: Db, shopId: number) {
  const [sold, products, people] = await Promise.all([
    db.select().from(biDailySales).where(eq(biDailySales.shop_id, shopId)),
    db.select().from(biProductSales).where(eq(biProductSales.shop_id, shopId)),
    db.select().from(biCustomers).where(eq(biCustomers.shop_id, shopId)),
  ]);
  return { sold: asSet(sold), products: asSet(products), people: asSet(people) };
}

export function expectedFigures(orders: readonly Order[]) {
  return {
    sold: asSet(dailySales(orders)),
    products: asSet(productSales(orders)),
    people: asSet(customers(orders)),
  };
}

const NOT_COMPARED: readonly string[] = ['shop_id', 'shop', 'group_oid', 'user_group'];

/** Rows as text in an order of our own: a view has none. */
function asSet(rows: readonly object[]): readonly string[] {
  const byName = ([left]: readonly [string, unknown], [right]: readonly [string, unknown]) =>
    left.localeCompare(right);
  return rows
    .map((row) => Object.entries(row).filter(([name]) => !NOT_COMPARED.includes(name)))
    .map((entries) => JSON.stringify(entries.toSorted(byName)))
    .toSorted();
}
