import { sql } from 'drizzle-orm';
import { Client } from 'pg';
import { beforeEach, expect, test, vi } from 'vitest';
import { z } from 'zod';

import {
  countRejections,
  listRejections,
  type NormalizedRecords,
  recordRejections,
  type RejectionRecord,
  resolveUnlisted,
} from '../../../src/warehouse/ops/rejections.ts';
import { heldLease } from '../../support/held-lease.ts';
import { orderToLoad } from '../../support/rows.ts';
import { fileWarehouse } from '../test-warehouse.ts';

const warehouse = fileWarehouse();
let shopId: number;
beforeEach(async () => {
  shopId = await warehouse.newShop();
});

const rejection = (changes: Partial<RejectionRecord> = {}): RejectionRecord => ({
  resource: 'order',
  sourceKey: '1',
  field: 'summ',
  reason: 'not a number',
  value: 'free',
  ...changes,
});
const orders = (...sourceKeys: readonly string[]): NormalizedRecords => ({ resource: 'order', sourceKeys });

/** One call in a transaction of its own. */
const record = (normalized: readonly NormalizedRecords[], ...rejections: readonly RejectionRecord[]) =>
  warehouse.write((tx) => recordRejections(tx, shopId, normalized, rejections));
const kept = () =>
  warehouse.rows(sql`
    SELECT resource, source_key, field, reason, value, seen_count, coalesce(resolved_at >= first_seen_at, false) AS is_resolved,
      last_seen_at > first_seen_at AS is_seen_later
    FROM ops.rejections WHERE shop_id = ${shopId} ORDER BY rejection_id`);

test('a rejection is stored with all its facts, and counts as new', async () => {
  expect(await record([orders('1')], rejection())).toBe(1);
  expect(await kept()).toEqual([
    {
      resource: 'order',
      source_key: '1',
      field: 'summ',
      reason: 'not a number',
      value: 'text of 4 characters, Latin',
      seen_count: 1,
      is_resolved: false,
      is_seen_later: false,
    },
  ]);
});

test('the same rejection twice in a call is one; seen again, it is counted but not new', async () => {
  expect(await record([orders('1')], rejection(), rejection())).toBe(1);
  expect(await record([orders('1')], rejection())).toBe(0);
  expect(await kept()).toMatchObject([{ seen_count: 2, is_resolved: false, is_seen_later: true }]);
});

test('rejections that differ in any part are distinct, null included', async () => {
  const others: readonly Partial<RejectionRecord>[] = [
    {},
    { resource: 'content' },
    { sourceKey: '2' },
    { sourceKey: null },
    { field: 'paid' },
    { field: null },
    { reason: 'too large' },
    { value: 'gratis' },
    { value: null },
    { value: '' },
  ];
  expect(await record([], ...others.map(rejection))).toBe(others.length);
  expect(await kept()).toHaveLength(others.length);
});

test('a record normalized without the problem resolves its own rejections only', async () => {
  const still = rejection({ field: 'paid' });
  await record(
    [],
    rejection(),
    still,
    rejection({ sourceKey: '2' }),
    rejection({ resource: 'content' }),
    rejection({ sourceKey: null }),
  );
  const otherShop = await warehouse.newShop();
  await warehouse.write((tx) => recordRejections(tx, otherShop, [], [rejection()]));
  expect(await record([orders('1'), { resource: 'user', sourceKeys: ['1'] }], still)).toBe(0);
  const resolved = (await kept()).map((row) => [
    row['resource'],
    row['source_key'],
    row['field'],
    row['is_resolved'],
  ]);
  expect(resolved).toEqual([
    ['order', '1', 'summ', true],
    ['order', '1', 'paid', false],
    ['order', '2', 'summ', false],
    ['content', '1', 'summ', false],
    ['order', null, 'summ', false],
  ]);
  shopId = otherShop;
  expect(await kept()).toMatchObject([{ is_resolved: false }]);
});

test('a resolved rejection that returns is reopened, and counts as new', async () => {
  await record([orders('1')], rejection());
  expect(await record([orders('1')])).toBe(0);
  expect(await kept()).toMatchObject([{ is_resolved: true, seen_count: 1 }]);
  expect(await record([orders('1')], rejection(), rejection({ field: 'paid' }))).toBe(2);
  expect(await kept()).toMatchObject([
    { is_resolved: false, seen_count: 2 },
    { is_resolved: false, seen_count: 1 },
  ]);
});

test('a resolved rejection keeps the time when it was first resolved', async () => {
  await record([orders('1')], rejection());
  await record([orders('1')]);
  const at = () =>
    warehouse.rows(
      sql`SELECT resolved_at FROM ops.rejections WHERE shop_id = ${shopId} ORDER BY rejection_id`,
    );
  const before = await at();
  await record([orders('1')]);
  expect(await at()).toEqual(before);
});

test('an element without an identifier is resolved once every day was verified since, and nothing else is', async () => {
  const lease = await heldLease(warehouse.db, shopId);
  await record(
    [],
    rejection({ sourceKey: null }),
    rejection(),
    rejection({ resource: 'group', sourceKey: null }),
  );
  const resolved = async () => {
    await resolveUnlisted(warehouse.db, lease);
    return (await kept()).filter((row) => row['is_resolved'] === true).map((row) => row['resource']);
  };
  await warehouse.rows(sql`
    INSERT INTO ops.days (shop_id, day, verified_at)
    VALUES (${shopId}, '2026-01-01', now() - interval '1 day'), (${shopId}, '2026-01-02', now() + interval '1 day')`);
  expect(await resolved(), 'a day was read before it').toEqual([]);
  await warehouse.rows(
    sql`UPDATE ops.days SET verified_at = NULL WHERE shop_id = ${shopId} AND day = '2026-01-01'`,
  );
  expect(await resolved(), 'a day is still to be read').toEqual([]);
  await warehouse.rows(sql`UPDATE ops.days SET verified_at = now() WHERE shop_id = ${shopId}`);
  expect(await resolved()).toEqual(['order']);
  expect(await kept()).toMatchObject([{ source_key: null, is_resolved: true }, {}, {}]);
});

test('a value that PostgreSQL refuses as text does not block the rejection', async () => {
  expect(await record([], rejection({ value: 'a\0b\ud800' }))).toBe(1);
  expect(await kept()).toMatchObject([{ value: expect.stringMatching(/^text of 4 characters, Latin/) }]);
});

const values = z.array(z.unknown());

test('open rejections of given records are looked up by their keys, however many others there are', async () => {
  await warehouse.db.execute(sql`
    INSERT INTO ops.rejections (shop_id, resource, source_key, reason, digest, resolved_at)
    SELECT ${shopId}, 'order', n::text, 'bad', n::text, CASE WHEN n % 2 = 0 THEN now() END
    FROM generate_series(1, 20000) n`);
  // Only what the planner sees of a table that nobody analyzed yet counts.
  expect(await warehouse.rows(sql`SELECT FROM pg_stats WHERE tablename = 'rejections'`)).toEqual([]);
  const sent = vi.spyOn(Client.prototype, 'query');
  await record([orders('1', '3'), { resource: 'content', sourceKeys: ['1'] }]);
  const calls = sent.mock.calls.map((call) =>
    z.tuple([z.object({ text: z.string() }), values]).safeParse(call),
  );
  sent.mockRestore();
  const resolving = calls.find(({ data }) => data?.[0].text.includes('SET resolved_at = now()') === true);
  const [{ text }, parameters] = resolving?.data ?? [{ text: '' }, []];
  const { rows } = await warehouse.database.query(`EXPLAIN ${text}`, parameters);
  const plan = rows.map((row: Record<string, unknown>) => String(row['QUERY PLAN'])).join('\n');
  expect(plan).not.toContain('Seq Scan on rejections');
  expect(plan).toMatch(
    /(Index Scan using|Bitmap Index Scan on) rejections_open_idx[^]*?Index Cond: [^\n]*shop_id = [^\n]*resource = ANY[^\n]*source_key = ANY/,
  );
});

/** An order is missing, or deleted. */
const mark = (orderId: number, isDeleted: boolean) =>
  warehouse.rows(sql`
    UPDATE core.orders SET missing_since = now(), deleted_at = CASE WHEN ${isDeleted} THEN now() END
    WHERE shop_id = ${shopId} AND order_id = ${orderId}`);

test('rejections are listed by shop, the most frequent first, without those that need no attention', async () => {
  const stored = ['1', '2', '3', '4'].map((id) => orderToLoad(id));
  await warehouse.load(shopId, stored);
  await record([], rejection(), rejection({ sourceKey: '2' }), rejection({ sourceKey: '3' }));
  await record([], rejection({ sourceKey: '2' }));
  await record([], rejection({ sourceKey: '4', field: 'paid' }), rejection({ field: null }));
  await record([], rejection({ resource: 'user', sourceKey: '3' }), rejection({ reason: 'too large' }));
  const other = await warehouse.newShop();
  await warehouse.write((tx) => recordRejections(tx, other, [], [rejection({ sourceKey: '9' })]));
  await record([orders('2')]);
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
  expect(await countRejections(warehouse.db, shopId)).toMatchObject({ open: 4 });
  expect(await countRejections(warehouse.db, other)).toMatchObject({ open: 1 });
  await warehouse.rows(sql`
    UPDATE ops.rejections SET first_seen_at = first_seen_at - make_interval(hours => source_key::int) WHERE shop_id = ${shopId}`);
  const [group] = await listRejections(warehouse.db, [shopId], true);
  const { rows: times } = await warehouse.db.execute(sql`
    SELECT min(first_seen_at) AS first_seen_at, max(last_seen_at) AS last_seen_at FROM ops.rejections
    WHERE shop_id = ${shopId} AND field = 'summ' AND reason = 'not a number' AND resource = 'order'`);
  expect(group).toMatchObject({
    ...times[0],
    sample: { sourceKey: '1', value: 'text of 4 characters, Latin' },
  });
  // Of several the latest is the example, an open one if there is any; of those of one moment the last.
  const weights = ['a', 'bb', 'ccc', 'dddd'].map((value, index) =>
    rejection({ sourceKey: String(index + 51), field: 'weight', value }),
  );
  await record([], ...weights);
  const example = async () => {
    const groups = await listRejections(warehouse.db, [shopId], true);
    return groups.find(({ field }) => field === 'weight')?.sample;
  };
  const sample = (sourceKey: string, length: number) => ({
    sourceKey,
    value: `text of ${length} character${length === 1 ? '' : 's'}, Latin`,
  });
  expect(await example()).toEqual(sample('54', 4));
  await record([], ...weights.slice(0, 1));
  expect(await example()).toEqual(sample('51', 1));
  await record([orders('51')]);
  expect(await example()).toEqual(sample('54', 4));
});

test('what was resolved since the latest run began is counted', async () => {
  await record([], rejection(), rejection({ sourceKey: '2' }), rejection({ sourceKey: '3' }));
  expect(await countRejections(warehouse.db, shopId)).toEqual({ open: 3, resolved: 0 });
  await record([orders('1', '2')]);
  for (const hours of [-2, -1]) {
    await warehouse.rows(sql`
      INSERT INTO ops.runs (shop_id, kind, status, started_at, version)
      VALUES (${shopId}, 'sync', 'ok', now() + make_interval(hours => ${hours}), 'test')`);
  }
  await warehouse.rows(sql`
    UPDATE ops.rejections SET resolved_at = now() - interval '90 minutes' WHERE shop_id = ${shopId} AND source_key = '2'`);
  expect(await countRejections(warehouse.db, shopId)).toEqual({ open: 1, resolved: 1 });
});
