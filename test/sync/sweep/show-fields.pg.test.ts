/** Which extra order fields a sweep tells of, as hidden until their owner shows them. */
import { expect, test } from 'vitest';

import { showFields } from '../../support/show-fields.ts';
import { sweepOnce, testedShopId } from '../../support/sweep.ts';
import { readHiddenFields } from '../../../src/warehouse/ops/payload-fields.ts';
import { withShop } from '../../support/shop.ts';

const PRESENT = Temporal.Instant.from('2026-03-02T12:00:00Z');
const field = (key: string, value = 'x') => ({ key, value, label: key });

test('a new field is hidden and reported until the owner decides; keys that do not look like keys are not reported', () =>
  withShop({ orders: 3, days: 2, now: PRESENT }, async ({ client, clock, db, means, simulator }) => {
    const sweep = async (pseudonymize?: { keptFields: readonly string[] }) => {
      clock.pass({ minutes: 10 });
      const settings = pseudonymize ? { pseudonymize } : {};
      return sweepOnce(simulator, db, { kind: 'backfill', force: true }, settings, means);
    };
    const ids = simulator.shop.orders().map(({ orderId }) => orderId);
    for (const id of ids) simulator.shop.editOrder(id, { fields: [field('gift'), field('Anna Weber')] });
    await sweep();
    const shopId = await testedShopId(db);
    const hidden = async () =>
      (await readHiddenFields(db)).flatMap((found) => (found.shopId === shopId ? [found.key] : []));
    expect(await hidden()).toEqual(['gift']);
    const shown = async () => {
      const { rows } = await client.query<{ key: string | null; value: string | null }>(
        'SELECT DISTINCT field_key AS key, value FROM tested.bi_order_fields ORDER BY 1',
      );
      return rows;
    };
    expect(await shown()).toEqual([{ key: null, value: '(hidden)' }]);

    await showFields(db, shopId, 'gift');
    expect(await hidden()).toEqual([]);
    expect(await shown()).toEqual([
      { key: 'gift', value: 'x' },
      { key: null, value: '(hidden)' },
    ]);
    simulator.shop.editOrder(ids[0] ?? 0, { fields: [field('wish')] });
    await sweep();
    expect(await hidden()).toEqual(['wish']);

    // Of those that are not stored nothing can be told.
    simulator.shop.editOrder(ids[1] ?? 0, { fields: [field('nick')] });
    await sweep({ keptFields: [] });
    expect(await hidden()).toEqual([]);
    expect(await shown()).toEqual([{ key: 'gift', value: 'x' }]);
  }));
