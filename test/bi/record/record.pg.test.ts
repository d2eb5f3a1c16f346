/**
 * Shops with orders of every kind: what each column of each view shows of them, as kept in `golden/record.txt`. A view that
 * reads, joins or counts them in another way shows there. `npx vitest run bi/record -u` writes it anew; look at which columns
 * differ before you keep it.
 */
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';

import { Random } from '../../../src/simulator/shop/random.ts';
import { openTestWarehouse } from '../../warehouse/test-warehouse.ts';
import { addOrders } from './random-orders.ts';
import { addDays, addEmptyShop, addRandomShop } from './random-shop.ts';
import { viewRecord } from './view-record.ts';

const ORDERS = Array.from({ length: 200 }, (_, at) => at + 1);

test('each view shows the recorded values for the same orders', async () => {
  await using warehouse = await openTestWarehouse();
  const { db } = warehouse;
  const shops: { readonly id: number; readonly random: Random }[] = [];
  for (const [name, zone] of [
    ['north', 'Europe/Berlin'],
    ['south', 'America/Sao_Paulo'],
  ] as const) {
    const random = new Random('views', name);
    const id = await addRandomShop(db, random, name, zone);
    await addDays(db, random, id);
    await addOrders(db, random, id, ORDERS.slice(0, 150));
    shops.push({ id, random });
  }
  const empty = await addEmptyShop(db);
  await warehouse.rows(sql`SELECT * FROM ops.refresh_summaries()`);
  // Of these the sums know nothing yet.
  for (const { id, random } of shops) await addOrders(db, random, id, ORDERS.slice(150));
  const record = await viewRecord(warehouse, [...shops.map(({ id }) => id), empty]);
  await expect(`${record.join('\n')}\n`, 'see the head of this test').toMatchFileSnapshot(
    'golden/record.txt',
  );
});
