/** What alerts and pauses are judged by, from rows as sweeps leave them: of each shop its own, and nothing that a wrong clock wrote. */
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';

import { closeAlerts, dropAlerts, raiseAlerts, readNextMessage } from '../../../src/warehouse/ops/alerts.ts';
import { readAlertFacts, readFailures } from '../../../src/warehouse/reports/alert-facts.ts';
import { orderToLoad } from '../../support/rows.ts';
import { silenceOf } from '../../plan/alerts/usual-orders.ts';
import { fileWarehouse } from '../test-warehouse.ts';

const NOW = Temporal.Instant.from('2026-03-10T12:00:00Z');
const ago = (duration: Temporal.DurationLike) => NOW.subtract(duration).toString();

const warehouse = fileWarehouse();

const keyOf = async (shopId: number) => {
  const [row] = await warehouse.rows(sql`SELECT shop_key FROM core.shops WHERE shop_id = ${shopId}`);
  return String(row?.['shop_key']);
};
const facts = async (shopId: number) =>
  (await readAlertFacts(warehouse.db, NOW)).find((shop) => shop.shopId === shopId);
const failed = async (shopId: number) => readFailures(warehouse.db, await keyOf(shopId), NOW);

/**
 * Runs of a minute each, the last of them now: `failed` is a sync, `failed:verify` another, and `partial+` verified a day. Those
 * that failed say their number.
 */
async function addRuns(shopId: number, runs: string): Promise<void> {
  for (const [index, run] of runs.split(' ').entries()) {
    const [, status = '', more = '', kind = 'sync'] = /^(\w+)(\+?)(?::(\w+))?$/.exec(run) ?? [];
    const minutes = 10 * (runs.split(' ').length - index);
    await warehouse.rows(sql`
      INSERT INTO ops.runs (shop_id, kind, status, started_at, finished_at, days_verified, error, version)
      VALUES (${shopId}, ${kind}, ${status}, ${ago({ minutes })}, ${ago({ minutes: minutes - 1 })}, ${more.length},
        ${status === 'failed' ? `failure ${index}` : null}, 'test')`);
  }
}

test.each([
  ['three in a row', 'ok failed failed failed', 3],
  ['one before the last that went well', 'failed ok failed', 1],
  ['none since', 'failed failed ok', 0],
  ['one since a sweep that made progress', 'failed failed partial+ failed', 1],
  ['three around one without progress', 'failed failed partial failed', 3],
  ['of sweeps alone', 'failed failed:verify ok:verify failed:backfill', 2],
])('failed sweeps of a shop: %s', async (_what, runs, failures) => {
  const shopId = await warehouse.newShop();
  const other = await warehouse.newShop();
  await addRuns(shopId, runs);
  await addRuns(other, 'failed failed failed');
  expect(await failed(shopId)).toBe(failures);
  const all = runs.split(' ');
  const last = all.findLastIndex((run) => /^failed(?!:verify)/.test(run));
  // A sweep that went well sets this too.
  const complete = all.lastIndexOf('ok');
  if (complete >= 0) {
    await warehouse.rows(sql`
      UPDATE ops.shop_state SET completed_at = ${ago({ minutes: 10 * (all.length - complete) })} WHERE shop_id = ${shopId}`);
  }
  expect(await facts(shopId)).toMatchObject({
    failures,
    isLoaded: complete >= 0,
    lastError: failures === 0 ? undefined : `failure ${last}`,
  });
});

test('a failure dated in the future hides no other, and a success dated in the future does not count', async () => {
  const shopId = await warehouse.newShop();
  await addRuns(shopId, 'failed failed');
  await warehouse.rows(sql`
    UPDATE ops.runs SET finished_at = ${NOW.add({ hours: 9 }).toString()} WHERE shop_id = ${shopId} AND error = 'failure 1'`);
  await warehouse.rows(sql`
    UPDATE ops.shop_state SET completed_at = ${NOW.add({ hours: 9 }).toString()} WHERE shop_id = ${shopId}`);
  expect(await failed(shopId)).toBe(2);
  expect(await facts(shopId)).toMatchObject({ failures: 2 });
});

test('a shop is as fresh as its newest day was verified, and a time in the future says nothing', async () => {
  const shopId = await warehouse.newShop();
  const verify = async (day: string, at: string) =>
    warehouse.rows(sql`
      INSERT INTO ops.days (shop_id, day, verified_at, last_verified_at) VALUES (${shopId}, ${day}, ${at}, ${at})
      ON CONFLICT (shop_id, day) DO UPDATE SET last_verified_at = excluded.last_verified_at`);
  const fresh = async () => String((await facts(shopId))?.freshAt);
  await verify('2026-03-10', NOW.add({ hours: 3 }).toString());
  const { freshAt } = (await facts(shopId)) ?? {};
  expect(freshAt && NOW.since(freshAt).total('hours'), 'all by a fast clock').toBeGreaterThanOrEqual(24);
  await verify('2026-03-08', ago({ minutes: 1 }));
  // The 8th ended in Berlin at 23:00 UTC.
  expect(await fresh()).toBe('2026-03-08T23:00:00Z');
  // What failed since takes nothing away from it.
  await warehouse.rows(sql`UPDATE ops.days SET verified_at = NULL WHERE shop_id = ${shopId}`);
  expect(await fresh()).toBe('2026-03-08T23:00:00Z');
  await verify('2026-03-09', ago({ minutes: 2 }));
  expect(await fresh()).toBe('2026-03-09T23:00:00Z');
  await verify('2026-03-10', ago({ minutes: 3 }));
  expect(await fresh()).toBe(ago({ minutes: 3 }));
  await verify('2026-03-10', NOW.add({ hours: 1 }).toString());
  expect(await fresh()).toBe('2026-03-09T23:00:00Z');
  for (const at of [ago({ minutes: 4 }), NOW.add({ hours: 1 }).toString()]) {
    await warehouse.rows(sql`
      INSERT INTO ops.shop_state (shop_id, freshness, normalizer_version, looked_at) VALUES (${shopId}, '[]', 1, ${at})
      ON CONFLICT (shop_id) DO UPDATE SET looked_at = excluded.looked_at`);
    const looked = at > NOW.toString() ? NOW.toString() : at;
    expect(String((await facts(shopId))?.lookedAt), 'nobody has looked later than now').toBe(looked);
  }
});

test('rejections of a day are compared with those of the seven days before, and fields are new for a day', async () => {
  const shopId = await warehouse.newShop();
  const found = [
    [1, 3],
    [23, 4],
    [25, 5],
    [7 * 24, 6],
    [191, 7],
    [193, 100],
  ] as const;
  for (const [hours, count] of found) {
    await warehouse.rows(sql`
      INSERT INTO ops.rejections (shop_id, resource, reason, digest, first_seen_at)
      SELECT ${shopId}, 'order', 'bad', ${`${hours} `} || n, ${ago({ hours })} FROM generate_series(1, ${count}::int) n`);
  }
  await warehouse.rows(sql`
    INSERT INTO ops.payload_fields (shop_id, resource, field, is_new, first_seen_at) VALUES
      (${shopId}, 'order', 'fresh', true, ${ago({ hours: 23 })}), (${shopId}, 'order', 'old', true, ${ago({ hours: 25 })}),
      (${shopId}, 'order', 'known', false, ${ago({ hours: 1 })})`);
  expect(await facts(shopId)).toMatchObject({
    newRejections: 7,
    earlierRejections: 18,
    newFields: ['fresh'],
  });
  // An order that the shop deleted needs nobody, though nothing resolved what was wrong with it.
  await warehouse.load(shopId, [orderToLoad('17'), orderToLoad('18')]);
  await warehouse.rows(sql`
    UPDATE core.orders SET missing_since = now(), deleted_at = now() WHERE shop_id = ${shopId} AND order_id = 17`);
  await warehouse.rows(sql`
    UPDATE ops.rejections SET source_key = CASE digest WHEN '23 1' THEN '17' ELSE '18' END
    WHERE shop_id = ${shopId} AND digest IN ('23 1', '23 2')`);
  expect(await facts(shopId)).toMatchObject({ newRejections: 6, earlierRejections: 18 });
  // What was resolved since did come up then.
  await warehouse.rows(sql`UPDATE ops.rejections SET resolved_at = now() WHERE shop_id = ${shopId}`);
  expect(await facts(shopId)).toMatchObject({ newRejections: 0, earlierRejections: 18 });
});

test('problems and alerts of one shop are not reported for another', async () => {
  const [ill, well] = [await warehouse.newShop(), await warehouse.newShop()];
  const before = await facts(well);
  await warehouse.rows(sql`
    UPDATE ops.shop_state SET findings = '{"clock": "wrong", "drift": "changed"}' WHERE shop_id = ${ill}`);
  await warehouse.rows(sql`
    INSERT INTO ops.payload_fields (shop_id, resource, field, is_new, first_seen_at)
    VALUES (${ill}, 'order', 'tax', true, ${ago({ hours: 1 })})`);
  await warehouse.rows(sql`
    INSERT INTO ops.rejections (shop_id, resource, reason, digest, first_seen_at)
    VALUES (${ill}, 'order', 'bad', 'own', ${ago({ hours: 1 })}), (${ill}, 'order', 'bad', 'old', ${ago({ hours: 50 })})`);
  await addRuns(ill, 'failed failed failed');
  await warehouse.rows(sql`
    INSERT INTO ops.days (shop_id, day, verified_at) VALUES (${ill}, '2026-03-10', ${ago({ hours: 1 })})`);
  expect(await facts(well)).toEqual(before);
  expect(await facts(ill)).toMatchObject({
    failures: 3,
    lastError: 'failure 2',
    newRejections: 1,
    earlierRejections: 1,
    newFields: ['tax'],
    findings: { clock: 'wrong', drift: 'changed' },
  });

  const raised = (shopId: number) => ({ shopId, cause: 'clock', text: `of ${shopId}` });
  await warehouse.write((tx) => raiseAlerts(tx, [raised(ill), raised(well)], NOW));
  await warehouse.write((tx) => closeAlerts(tx, [{ shopId: ill, cause: 'clock' }], NOW));
  const open = await warehouse.rows(sql`SELECT shop_id FROM ops.alerts WHERE closed_at IS NULL`);
  expect(open).toEqual([{ shop_id: well }]);
  // Of a shop that is paused, nobody is told what was not told yet.
  await warehouse.write((tx) => dropAlerts(tx, well));
  const next = await warehouse.write((tx) => readNextMessage(tx));
  expect(next).toMatchObject({ shopId: ill, event: 'raised' });
  const left = await warehouse.rows(sql`
    SELECT shop_id FROM ops.alerts WHERE told_at IS NULL AND shop_id IN (${ill}, ${well})`);
  expect(left).toEqual([{ shop_id: ill }]);
});

test('of a shop that is paused or being deleted there is nothing to judge, however long ago it was resumed', async () => {
  const shop = await warehouse.newShop();
  const stop = async (column: 'paused_at' | 'deletion_started_at', at: string | null) =>
    warehouse.rows(sql`UPDATE core.shops SET ${sql.raw(column)} = ${at} WHERE shop_id = ${shop}`);
  await warehouse.rows(sql`UPDATE core.shops SET resumed_at = ${ago({ hours: 24 })} WHERE shop_id = ${shop}`);
  const read = async () => {
    const found = await readAlertFacts(warehouse.db, NOW, await keyOf(shop));
    expect(found.map(({ shopId }) => shopId)).toEqual((await facts(shop)) === undefined ? [] : [shop]);
    return found.length;
  };
  expect(await read()).toBe(1);
  for (const column of ['paused_at', 'deletion_started_at'] as const) {
    await stop(column, ago({ hours: 1 }));
    expect(await read(), column).toBe(0);
    await stop(column, null);
  }
  await warehouse.rows(
    sql`UPDATE core.shops SET resumed_at = ${ago({ minutes: 1 })} WHERE shop_id = ${shop}`,
  );
  expect(await read(), 'until its next sweep').toBe(0);
});

test('what is usual in a silence is what the same time of the eight weeks before brought', async () => {
  const [shopId, other] = [await warehouse.newShop(), await warehouse.newShop()];
  const end = Temporal.PlainDateTime.from('2026-03-08T19:12:00');
  // At ever other hours, of ever more orders; all are on whole minutes.
  const times = Array.from({ length: 240 }, (_, index) => {
    return end.subtract({ minutes: Math.round(index ** 2 * 1.7) + 7 * (index % 3) });
  }).toSorted((a, b) => Temporal.PlainDateTime.compare(a, b));
  const orders = times.map((time, index) => {
    const row = { created_local: time.toString(), created_on: time.toPlainDate().toString() };
    return orderToLoad(String(index + 1), { row });
  });
  const ahead = orderToLoad('999', {
    row: { created_local: '2026-04-08T10:00:00', created_on: '2026-04-08' },
  });
  for (const id of [shopId, other]) await warehouse.load(id, [...orders, ahead]);
  const msOf = (time: Temporal.PlainDateTime) => time.toZonedDateTime('UTC').epochMilliseconds;
  const expected = silenceOf(times.map(msOf));
  const hours = [0, 1.9, 2, 3.5, 30, 171, 400];
  expect(await facts(shopId)).not.toHaveProperty('silence.ms');
  for (const minutes of hours.map((hour) => 60 * hour)) {
    const known = end.add({ minutes });
    const at = known.toZonedDateTime('Europe/Berlin').toInstant();
    await warehouse.rows(sql`
      INSERT INTO ops.days (shop_id, day, verified_at, last_verified_at)
      VALUES (${shopId}, ${known.toPlainDate().toString()}, ${at.toString()}, ${at.toString()})
      ON CONFLICT (shop_id, day) DO UPDATE SET last_verified_at = excluded.last_verified_at`);
    const [found] = await readAlertFacts(warehouse.db, at, await keyOf(shopId));
    const wanted = expected(msOf(known));
    expect(found?.silence?.ms).toBe(minutes * 60_000);
    expect(found?.silence?.expected, `${minutes} minutes`).toBeCloseTo(wanted?.expected ?? NaN, 6);
    expect(found?.silence?.expectedLately).toBeCloseTo(wanted?.expectedLately ?? NaN, 6);
  }
  // Of a shop that opened lately nothing is usual.
  await warehouse.rows(sql`
    DELETE FROM core.orders WHERE shop_id = ${shopId} AND created_local < ${end.subtract({ days: 28 }).toString()}`);
  const at = end.add({ hours: 400 }).toZonedDateTime('Europe/Berlin').toInstant();
  const [young] = await readAlertFacts(warehouse.db, at, await keyOf(shopId));
  expect(young?.silence).toEqual({ ms: 400 * 3_600_000, expected: 0, expectedLately: 0 });
});
