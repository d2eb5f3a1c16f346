/** How rejections are listed and counted; what alerts and fields are kept. */
import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';

import { dropAlerts, raiseAlerts, recordCrashes } from '../../../src/warehouse/ops/alerts.ts';
import {
  forgetFields,
  readFieldTimes,
  readHiddenFields,
  recordFields,
} from '../../../src/warehouse/ops/payload-fields.ts';
import {
  countOpenRejections,
  countResolvedInRun,
  listRejections,
  type NormalizedRecords,
  recordRejections,
  type RejectionRecord,
} from '../../../src/warehouse/ops/rejections.ts';
import { loadOrders } from '../../../src/warehouse/orders/load-orders.ts';
import { at, orderToLoad } from '../../support/rows.ts';
import { fileWarehouse } from '../test-warehouse.ts';

const warehouse = fileWarehouse();
let shopId: number;
let other: number;
beforeEach(async () => {
  shopId = await warehouse.newShop();
  other = await warehouse.newShop();
});

const rejection = (changes: Partial<RejectionRecord> = {}): RejectionRecord => ({
  resource: 'order',
  sourceKey: '1',
  field: 'summ',
  reason: 'not a number',
  value: null,
  ...changes,
});
const record = (
  shop: number,
  normalized: readonly NormalizedRecords[],
  ...given: readonly RejectionRecord[]
) => warehouse.write((tx) => recordRejections(tx, shop, normalized, given));
const loadAll = (...ids: readonly string[]) =>
  warehouse.write((tx) =>
    loadOrders(
      tx,
      shopId,
      ids.map((id) => orderToLoad(id)),
    ),
  );
/** An order is missing, or deleted. */
const mark = (orderId: number, isDeleted: boolean) =>
  warehouse.rows(sql`
    UPDATE core.orders SET missing_since = now(), deleted_at = CASE WHEN ${isDeleted} THEN now() END
    WHERE shop_id = ${shopId} AND order_id = ${orderId}`);

test('rejections are listed by shop, the most frequent first, without those that need no attention', async () => {
  await loadAll('1', '2', '3', '4');
  await record(shopId, [], rejection(), rejection({ sourceKey: '2' }), rejection({ sourceKey: '3' }));
  await record(shopId, [], rejection({ sourceKey: '2' }));
  await record(shopId, [], rejection({ sourceKey: '4', field: 'paid' }), rejection({ field: null }));
  await record(
    shopId,
    [],
    rejection({ resource: 'user', sourceKey: '3' }),
    rejection({ reason: 'too large' }),
  );
  await record(other, [], rejection({ sourceKey: '9' }));
  await record(shopId, [{ resource: 'order', sourceKeys: ['2'] }]);
  await mark(3, true);
  await mark(4, true);
  await mark(1, false);
  const list = async (withResolved: boolean, ...shops: readonly number[]) =>
    (await listRejections(warehouse.db, shops, withResolved)).map(({ resource, field, reason, ...group }) =>
      [
        group.shop === `shop-${other}` ? 'other' : resource,
        field,
        reason,
        group.open,
        group.resolved,
        group.seen,
      ].join(' '),
    );
  expect(await list(false, shopId)).toEqual([
    'order  not a number 1 0 1',
    'order summ not a number 1 0 1',
    'order summ too large 1 0 1',
    'user summ not a number 1 0 1',
  ]);
  expect(await list(true, shopId)).toEqual([
    'order summ not a number 1 2 4',
    'order  not a number 1 0 1',
    'order summ too large 1 0 1',
    'user summ not a number 1 0 1',
    'order paid not a number 0 1 1',
  ]);
  expect(await list(false, shopId, other)).toHaveLength(5);
  expect([
    await countOpenRejections(warehouse.db, shopId),
    await countOpenRejections(warehouse.db, other),
  ]).toEqual([4, 1]);
  await warehouse.rows(sql`
    UPDATE ops.rejections SET first_seen_at = first_seen_at - make_interval(hours => source_key::int) WHERE shop_id = ${shopId}`);
  const [group] = await listRejections(warehouse.db, [shopId], true);
  const { rows: times } = await warehouse.db.execute(sql`
    SELECT min(first_seen_at) AS first_seen_at, max(last_seen_at) AS last_seen_at FROM ops.rejections
    WHERE shop_id = ${shopId} AND field = 'summ' AND reason = 'not a number' AND resource = 'order'`);
  expect(group).toMatchObject({ ...times[0], sample: { sourceKey: '1', value: null } });
  // Of several the latest is the example, an open one if there is any; of those of one moment the last.
  const weights = ['a', 'bb', 'ccc', 'dddd'].map((value, index) =>
    rejection({ sourceKey: String(index + 51), field: 'weight', value }),
  );
  await record(shopId, [], ...weights);
  const example = async () => {
    const groups = await listRejections(warehouse.db, [shopId], true);
    return groups.find(({ field }) => field === 'weight')?.sample;
  };
  const sample = (sourceKey: string, length: number) => ({
    sourceKey,
    value: `text of ${length} character${length === 1 ? '' : 's'}, Latin`,
  });
  expect(await example()).toEqual(sample('54', 4));
  await record(shopId, [], ...weights.slice(0, 1));
  expect(await example()).toEqual(sample('51', 1));
  await record(shopId, [{ resource: 'order', sourceKeys: ['51'] }]);
  expect(await example()).toEqual(sample('54', 4));
});

test('what was resolved since the latest run began is counted', async () => {
  await record(shopId, [], rejection(), rejection({ sourceKey: '2' }), rejection({ sourceKey: '3' }));
  expect(await countResolvedInRun(warehouse.db, shopId)).toBe(0);
  await record(shopId, [{ resource: 'order', sourceKeys: ['1', '2'] }]);
  for (const hours of [-2, -1]) {
    await warehouse.rows(sql`
      INSERT INTO ops.runs (shop_id, kind, status, started_at, version)
      VALUES (${shopId}, 'sync', 'ok', now() + make_interval(hours => ${hours}), 'test')`);
  }
  await warehouse.rows(sql`
    UPDATE ops.rejections SET resolved_at = now() - interval '90 minutes' WHERE shop_id = ${shopId} AND source_key = '2'`);
  expect(await countResolvedInRun(warehouse.db, shopId)).toBe(1);
});

test('fields are new where a shop was loaded before and its fields were known, and stay as they were first seen', async () => {
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

test('sweeps that died are found once, of that shop; alerts that are dropped end now, untold', async () => {
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
