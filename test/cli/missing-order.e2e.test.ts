/** An order that the shop deleted: from its disappearance until that is confirmed, every output says the same of it. */
import { expect, test } from 'vitest';

import { jsonLines } from '../support/json-lines.ts';
import { openShop } from '../support/shop-of-commands.ts';

const DAYS = 90;
const MISSING = `core.missing_orders WHERE shop_id = (SELECT shop_id FROM core.shops WHERE shop_key = 'default')`;

// How shops say that they have no such order; a page of HTML with 200 looks like a fault, and would be asked for again.
test.each(['404', 'html', 'success-0'] as const)(
  'a deleted old order is reported the same by all outputs and then confirmed, in a shop that answers with %s',
  async (unknownOrder) => {
    const shop = { orders: 300, days: DAYS, seed: 3, dialect: { unknownOrder } };
    await using opened = await openShop(shop, { COUNT_EVERY: '1s' });
    const { simulator, run, query } = opened;
    const ask = async (text: string): Promise<unknown> => (await query(text)).rows[0]?.value;
    expect(await run('backfill')).toMatchObject({ code: 0 });
    expect((await run('verify')).stdout).toMatch(/^No order differs/m);

    const gone = simulator.shop.orders()[60]?.orderId ?? 0;
    const day = simulator.shop.order(gone)?.createdLocal.toPlainDate().toString() ?? '';
    simulator.shop.deleteOrder(gone);
    const asked: string[] = [];
    const off = simulator.requests.onRequest(async ({ path }) => void asked.push(path));
    const live = await run(`fetch order ${gone}`);
    off();
    expect(live).toMatchObject({ code: 1, stdout: expect.stringContaining('The warehouse still counts it') });
    expect(asked.filter((path) => path.endsWith(`/${gone}`))).toHaveLength(1);

    await run('sync');
    const at =
      await ask(`SELECT to_char(date_trunc('minute', confirmed_at + interval '59.999 s') AT TIME ZONE 'UTC', 'HH24:MI') AS value
      FROM ${MISSING}`);
    const said = `1 order disappeared from the shop's list; a sync after ${String(at)} UTC confirms whether it was deleted`;
    const status = await run('status');
    expect(status.stdout).toContain(said);
    expect(status.stdout).toMatch(new RegExp(`Complete through +${dayBefore(day)}`));
    const verify = await run('verify');
    expect(verify.code).toBe(4);
    expect(verify.stdout).toContain(`No order of the verified days differs`);
    expect(verify.stdout).toContain(`${said}.`);
    expect(verify.stdout).not.toContain('--repair');
    expect((await run(['sql', 'SELECT 1'])).stderr).toContain(`${day} (${said})`);
    const fetched = await run(`fetch order ${gone}`);
    expect(fetched).toMatchObject({ code: 1, stdout: `The shop has no such order. ${said}.\n` });
    expect((await run(`sync --order ${gone}`)).stdout).toContain(`the shop has no order ${gone}; ${said}.`);
    expect(
      await ask(`SELECT concat_ws(' ', is_verified, missing_orders, confirmed_at = (SELECT confirmed_at FROM ${MISSING})) AS value
      FROM bi.completeness WHERE shop = 'default' AND day = '${day}'`),
    ).toBe('f 1 t');
    expect(jsonLines((await run('verify --json')).stdout)).toMatchObject([
      {
        is_equal: false,
        differences: [{ order_id: String(gone), kind: 'not in the shop', is_sweep_due: true }],
      },
    ]);
    const shown = `SELECT count(*)::int AS value FROM bi.orders WHERE shop = 'default' AND NOT is_deleted`;
    expect(await ask(shown)).toBe(300);

    // The day itself is not due for hours, and nothing is counted.
    simulator.requests.reset();
    const quiet = { COUNT_EVERY: 'off' };
    await run('sync', quiet);
    expect(await ask(`SELECT count(*)::int AS value FROM ${MISSING}`)).toBe(1);
    await ask(
      `UPDATE tested.orders SET missing_since = missing_since - interval '5 minutes' WHERE order_id = ${gone}`,
    );
    expect((await run('status')).stdout).toContain('the next sync confirms whether it was deleted');
    expect((await run('sync', quiet)).stdout).toContain('0 newly missing, 1 confirmed as deleted.');
    expect(await ask(`SELECT count(*)::int AS value FROM ${MISSING}`)).toBe(0);
    expect(await ask(shown)).toBe(299);
    expect((await run('status')).stdout).not.toContain('disappeared');
    expect((await run(['sql', 'SELECT 1'])).stderr).not.toContain(day);
    expect(await run('verify')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^No order differs/m),
    });
    expect((await run(`fetch order ${gone}`)).stdout).toContain('It is marked as deleted in the warehouse');
  },
);

const dayBefore = (day: string) => Temporal.PlainDate.from(day).subtract({ days: 1 }).toString();
