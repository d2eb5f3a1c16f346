import { Client } from 'pg';
import { expect, test } from 'vitest';

import { orderToLoad } from '../../support/rows.ts';
import { fileWarehouse } from '../test-warehouse.ts';

const ORDERS = 1_500;

const warehouse = fileWarehouse();

/** A session that says how each statement of a trigger was executed. */
async function explainingSession(url: string, plans: string[]): Promise<Client> {
  const client = new Client({ connectionString: url });
  client.on('notice', ({ message = '' }) => plans.push(message));
  await client.connect();
  await client.query(`
    LOAD 'auto_explain';
    SET auto_explain.log_min_duration = 0; SET auto_explain.log_analyze = on; SET auto_explain.log_timing = off;
    SET auto_explain.log_nested_statements = on; SET client_min_messages = log`);
  return client;
}

test('a session that changed one order compares no pairs of orders when it changes many', async () => {
  const shopId = await warehouse.newShop();
  await warehouse.load(shopId, [orderToLoad('1')]);
  const plans: string[] = [];
  const client = await explainingSession(warehouse.url, plans);
  try {
    await client.query(
      `INSERT INTO core.orders
       SELECT copy.* FROM core.orders o CROSS JOIN generate_series(2, $2::int) AS number
       CROSS JOIN LATERAL jsonb_populate_record(o, jsonb_build_object('order_id', number)) AS copy
       WHERE o.shop_id = $1 AND o.order_id = 1`,
      [shopId, ORDERS],
    );
    const pay = 'UPDATE core.orders SET paid_amount = 1, changed_at = clock_timestamp() WHERE shop_id = $1';
    await client.query(`${pay} AND order_id = 1`, [shopId]);
    plans.length = 0;
    await client.query(`${pay} AND order_id > 1`, [shopId]);
    const kept = plans.filter((plan) => plan.includes('INSERT INTO core.order_versions'));
    expect(kept).toHaveLength(1);
    expect(kept.join()).toContain(`rows=${ORDERS - 1}.00 loops=1`);
    const compared = plans.flatMap((plan) => [...plan.matchAll(/Rows Removed by Join Filter: (\d+)/g)]);
    expect(Math.max(0, ...compared.map(([, rows]) => Number(rows)))).toBeLessThan(10 * ORDERS);
  } finally {
    await client.end();
  }
});
