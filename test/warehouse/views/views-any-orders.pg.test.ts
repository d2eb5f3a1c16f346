import { randomUUID } from 'node:crypto';

import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { openDatabase } from '../../../src/warehouse/db/database.ts';
import { freshDatabase } from '../../support/database.ts';
import { expectedFigures, figuresOf } from './views-figures.ts';
import { loadShop } from './views-load.ts';
import type { Line, Order } from './views-oracle.ts';
import { IS_LONG } from '../../support/long.ts';

const cents = fc.option(fc.integer({ min: 0, max: 99_999 }), { freq: 8 });
const anyLine: fc.Arbitrary<Line> = fc.record({
  product: fc.constantFrom('1', '2', null),
  name: fc.constantFrom('Tea', 'Green tea', null),
  sku: fc.constantFrom('T', null),
  quantity: fc.option(fc.integer({ min: 0, max: 9 }), { freq: 8 }),
  cents,
  listCents: cents,
});
const anyOrder = fc.record({
  day: fc.constantFrom('2025-12-31', '2026-01-01', '2026-01-02', null),
  status: fc.constantFrom<Order['status'][]>('C', 'C', 'A', 'F', 'R', 'U', '', '?'),
  currency: fc.constantFrom('EUR', 'EUR', 'USD', null),
  cents,
  paidCents: cents,
  items: fc.option(fc.integer({ min: 0, max: 20 })),
  customer: fc.constantFrom('u:1', 'u:2', 'g:a', 'g:b', undefined),
  isDeleted: fc.constantFrom(false, false, false, true),
  isMissing: fc.boolean(),
  lines: fc.array(anyLine, { maxLength: 3 }),
});
/** An order without another customer is one of a guest who left no contact. */
const anyOrders = fc
  .array(anyOrder, { maxLength: 25 })
  .map((all) => all.map((one, id): Order => ({ ...one, id, customer: one.customer ?? `o:${id}` })));

test('for any orders, the figures equal plain arithmetic', async () => {
  await using server = await freshDatabase();
  await using database = await openDatabase(server.url);
  await fc.assert(
    fc.asyncProperty(anyOrders, async (orders) => {
      const shopId = await loadShop(database.db, randomUUID(), orders);
      expect(await figuresOf(database.db, shopId)).toEqual(expectedFigures(orders));
    }),
    { numRuns: IS_LONG ? 60 : 25 },
  );
});
