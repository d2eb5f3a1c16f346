import { sql } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';

import { BYSTANDER } from '../support/bystander.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { fileWarehouse } from '../warehouse/test-warehouse.ts';
import { loadShop, order } from '../warehouse/views/views-load.ts';

const TODAY = Temporal.Now.plainDateISO('Europe/Berlin');
const ago = (days: number) => TODAY.subtract({ days }).toString();

const warehouse = fileWarehouse();

beforeAll(async () => {
  const shopId = await loadShop(warehouse.db, 'north', [order({ day: ago(1) })]);
  await warehouse.rows(sql`UPDATE core.orders SET lines_state = 'ok' WHERE shop_id = ${shopId}`);
  await warehouse.rows(sql`
    INSERT INTO ops.days (shop_id, day, verified_at)
    SELECT ${shopId}, d::date, now() FROM generate_series(${ago(9)}::date, ${ago(3)}, interval '1 day') d`);
});

const ask = (...options: readonly string[]) =>
  runInProcess(['sql', 'SELECT orders FROM daily_sales WHERE shop = $$north$$', ...options], {
    DATABASE_URL: warehouse.url,
  });
const ofNorth = `north: not verified: ${ago(2)} to ${ago(0)}`;

test('a line below the result says which days are not verified, unless told to be quiet', async () => {
  for (const format of ['table', 'csv']) {
    const { stderr } = await ask('--format', format);
    expect(stderr).toMatch(/; the figures may be incomplete[.] bi[.]unverified_days lists the days[.]\n$/);
    expect(stderr).toContain(ofNorth);
  }
  expect(await ask('--quiet')).toMatchObject({ code: 0, stderr: '' });
});

test('the document says it in a field, and nothing on standard error', async () => {
  const { stdout, stderr } = await ask('--json');
  expect(stderr).toBe('');
  const { rows, unverified } = JSON.parse(stdout);
  const days = [{ from: ago(2), to: ago(0) }];
  expect({ rows, unverified: unverified.slice(1) }).toEqual({
    rows: [{ orders: 1 }],
    unverified: [
      {
        shop: 'north',
        first_day: ago(9),
        last_day: ago(0),
        days,
        line_days: days,
        missing_orders: 0,
        confirmed_at: null,
      },
    ],
  });
  expect(unverified[0].shop).toBe(BYSTANDER);
});

test('nothing is said of a shop once every day of it is verified', async () => {
  await warehouse.rows(sql`
    INSERT INTO ops.days (shop_id, day, verified_at)
    SELECT s.shop_id, d::date, now() FROM core.shops s, generate_series(${ago(2)}::date, ${ago(0)}, interval '1 day') d
    WHERE s.shop_key = 'north'`);
  expect((await ask()).stderr).not.toContain('north');
  const { unverified } = JSON.parse((await ask('--json')).stdout);
  expect(unverified.map(({ shop }: { shop: string }) => shop)).toEqual([BYSTANDER]);
  // Of an order whose lines are not up to date, figures by product may lack some.
  await warehouse.rows(sql`
    UPDATE core.orders SET lines_state = 'failed' WHERE shop_id = (SELECT shop_id FROM core.shops WHERE shop_key = 'north')`);
  const document = JSON.parse((await ask('--json')).stdout);
  expect(document.unverified[1]).toMatchObject({
    shop: 'north',
    days: [],
    line_days: [{ from: ago(1), to: ago(1) }],
  });
});
