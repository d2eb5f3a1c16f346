import { setTimeout as sleep } from 'node:timers/promises';

import type { Client } from 'pg';
import { expect, test } from 'vitest';

import { freshDatabase } from '../support/database.ts';
import { openLab, untilEqual } from '../support/fleet-lab.ts';
import { patienceMs, testTimeoutMs } from '../support/patience.ts';

const SIZE = { shops: 60, orders: 100, killEveryMs: 10_000, forMs: 120_000 };

test(
  'three workers share many shops while one after the other is killed: every shop ends equal, and no two write at once',
  { timeout: testTimeoutMs() },
  async () => {
    await using lab = await openLab(
      await freshDatabase(),
      SIZE.shops,
      { orders: SIZE.orders, days: 20, latencyMs: 5 },
      // What came in while a day was read is found soon after.
      { freshness: '*:5s' },
    );
    await startAudit(lab.client);
    const workers = [lab.startWorker(), lab.startWorker(), lab.startWorker()];
    await Promise.all(workers.map(({ url }) => url));
    let kills = 0;
    const end = performance.now() + SIZE.forMs;
    while (performance.now() < end) {
      for (const { simulator } of lab.shops) {
        simulator.shop.insertOrder();
        const [order] = simulator.shop.orders();
        if (order) simulator.shop.editOrder(order.orderId);
      }
      await sleep(SIZE.killEveryMs);
      const index = kills++ % workers.length;
      const victim = workers[index];
      victim?.process.kill('SIGKILL');
      expect((await victim?.outcome)?.signal).toBe('SIGKILL');
      // As an orchestrator would.
      workers[index] = lab.startWorker();
    }
    const deletedFrom = lab.shops[0];
    const doomed = deletedFrom?.simulator.shop.orders().at(-1);
    if (doomed) deletedFrom?.simulator.shop.deleteOrder(doomed.orderId);
    // What a killed worker was about is begun again once it is given up.
    await untilEqual(lab, 2 * patienceMs());
    const report = await auditReport(lab.client);
    process.stdout.write(`${SIZE.shops} shops, ${kills} workers killed: ${JSON.stringify(report)}\n`);
    expect(report?.['overlapping']).toBe(0);
    expect(report?.['commits']).toBeGreaterThan(SIZE.shops);
    expect(report?.['writers']).toBeGreaterThan(1);
    for (const { url } of workers.slice(1)) await url;
  },
);

const TABLES = ['core.orders', 'core.order_lines', 'core.order_history', 'ops.days', 'ops.rejections'];

/** From now on, every write to a shop's tables is kept with its epoch, the lease's holder, and who wrote. */
async function startAudit(client: Client): Promise<void> {
  await client.query(`
    CREATE TABLE public.audit (
      shop_id integer, epoch bigint, holder text, writer text, at timestamptz, tx xid8,
      PRIMARY KEY (tx, shop_id));
    CREATE FUNCTION public.audit() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO public.audit
      SELECT l.shop_id, l.epoch, l.holder, current_setting('application_name'), clock_timestamp(), pg_current_xact_id()
      FROM tested.leases l WHERE l.shop_id IN (SELECT DISTINCT shop_id FROM changed)
      ON CONFLICT DO NOTHING;
      RETURN NULL;
    END $$;`);
  for (const table of TABLES) {
    const name = table.replace('.', '_');
    for (const [event, transition] of [
      ['INSERT', 'NEW'],
      ['UPDATE', 'NEW'],
      ['DELETE', 'OLD'],
    ]) {
      await client.query(`
        CREATE TRIGGER audit_${name}_${event} AFTER ${event} ON ${table}
        REFERENCING ${transition} TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.audit()`);
    }
  }
}

/**
 * `commits` are transactions that wrote a shop's tables, of `epochs` by `writers`; `overlapping` those by another process than the
 * lease's holder, or after a later epoch had begun to write.
 */
async function auditReport(client: Client) {
  const { rows } = await client.query<Record<string, number>>(`
    WITH ordered AS (
      SELECT *, max(epoch) OVER (PARTITION BY shop_id ORDER BY at, tx ROWS UNBOUNDED PRECEDING) AS newest FROM public.audit
    )
    SELECT count(*)::int AS commits, count(DISTINCT (shop_id, epoch))::int AS epochs,
      count(DISTINCT writer)::int AS writers,
      count(*) FILTER (WHERE newest > epoch OR writer <> left('order-sync ' || split_part(holder, '@', 1), 63))::int AS overlapping
    FROM ordered`);
  return rows[0];
}
