/** Which fields of payloads are new; what becomes of alerts of a shop whose sweeps died, or which nobody is to hear of. */
import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';

import { dropAlerts, raiseAlerts, recordCrashes } from '../../../src/warehouse/ops/alerts.ts';
import {
  forgetFields,
  readFieldTimes,
  readHiddenFields,
  recordFields,
} from '../../../src/warehouse/ops/payload-fields.ts';
import { at } from '../../support/rows.ts';
import { fileWarehouse } from '../test-warehouse.ts';

const warehouse = fileWarehouse();
let shopId: number;
let other: number;
beforeEach(async () => {
  shopId = await warehouse.newShop();
  other = await warehouse.newShop();
});

test('fields are new if the shop was loaded and its fields were known before, and keep their first time', async () => {
  const [first, later] = [at('2026-03-01T00:00:00Z'), at('2026-03-02T00:00:00Z')];
  const field = (name: string, is_read = false, resource: 'order' | 'line' | 'form' = 'order') => ({
    resource,
    field: name,
    is_read,
  });
  const record = (
    isLoaded: boolean,
    when: Temporal.Instant,
    ...fields: readonly ReturnType<typeof field>[]
  ) => recordFields(warehouse.db, shopId, fields, isLoaded, when);
  const fresh = async () => {
    const rows = await warehouse.rows(sql`
      SELECT field FROM ops.payload_fields WHERE shop_id = ${shopId} AND is_new ORDER BY field`);
    return rows.map((row) => row['field']);
  };
  await recordFields(warehouse.db, other, [field('foreign')], true, first);
  await record(true, first, field('a'), field('sku', false, 'line'));
  await record(false, later, field('b'));
  await record(true, later, field('a'), field('c'), field('d', true), field('gift', false, 'form'));
  expect(await fresh()).toEqual(['c', 'gift']);
  const times = await readFieldTimes(warehouse.db, shopId);
  expect([...times.keys()].toSorted()).toEqual(['a', 'b', 'c', 'd']);
  expect([times.get('a'), times.get('b')]).toEqual([first, later]);
  const hidden = async () =>
    (await readHiddenFields(warehouse.db)).flatMap((found) => (found.shopId === shopId ? [found.key] : []));
  await record(true, later, ...['wish', 'alpha', 'Zeta'].map((name) => field(name, false, 'form')));
  await warehouse.rows(sql`
    INSERT INTO core.order_form_fields (shop_id, field_key, is_shown) VALUES (${shopId}, 'wish', false), (${other}, 'gift', true)`);
  expect(await hidden()).toEqual(['Zeta', 'alpha', 'gift']);
  await warehouse.write((tx) => forgetFields(tx, shopId));
  expect([
    (await readFieldTimes(warehouse.db, shopId)).size,
    (await readFieldTimes(warehouse.db, other)).size,
  ]).toEqual([0, 1]);
});

test('crashed sweeps are found once, for their shop only; dropped alerts are closed without a message', async () => {
  await recordCrashes(warehouse.db, shopId, 'first');
  await recordCrashes(warehouse.db, shopId, 'second');
  const found = await warehouse.rows(sql`
    SELECT findings FROM ops.shop_state WHERE shop_id IN (${shopId}, ${other}) ORDER BY shop_id`);
  expect(found).toEqual([{ findings: { crashes: 'first' } }, { findings: {} }]);
  const raisedAt = at('2026-03-01T00:00:00Z');
  const alerts = ['clock', 'drift'].map((cause) => ({ shopId, cause, text: cause }));
  await warehouse.write((tx) => raiseAlerts(tx, alerts, raisedAt));
  await warehouse.rows(sql`
    UPDATE ops.alerts SET closed_at = ${raisedAt.toString()} WHERE shop_id = ${shopId} AND cause = 'clock'`);
  await warehouse.write((tx) => dropAlerts(tx, shopId));
  const ends = await warehouse.rows(sql`
    SELECT cause, closed_at > ${raisedAt.toString()}::timestamptz AS is_closed_now, told_at IS NOT NULL AS is_told
    FROM ops.alerts WHERE shop_id = ${shopId} ORDER BY cause`);
  expect(ends).toEqual([
    { cause: 'clock', is_closed_now: false, is_told: false },
    { cause: 'drift', is_closed_now: true, is_told: true },
  ]);
});
