/** Who sweeps which shop when: the slots of several workers on one database. */
import { setTimeout as sleep } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { type LeaseHeartbeat, leaseOwnerName } from '../../src/sync/run/shop-lease.ts';
import { registerShop } from '../../src/warehouse/directory/registered-shops.ts';
import { claimTurn, countTurns, MOST_BEGUN } from '../../src/warehouse/ops/turns.ts';
import { Slots, type SlotsDeps, type SweepEnd } from '../../src/worker/slots.ts';
import { FIRST_STATE } from '../support/first-state.ts';
import { quiet } from '../support/impatient-shop.ts';
import { inOwnWarehouse, type Opened } from '../support/sweep.ts';
import { until, within } from '../support/until.ts';

/** No tick comes while a test lasts. */
const NEVER = () => 8.64e7;
const AGO = "now() - interval '1 minute'";

type Fleet = Opened & {
  /** A worker with these shops, or with all that are registered. */
  readonly start: (
    slots: number,
    sweep: (shopKey: string, heartbeat: LeaseHeartbeat | undefined) => Promise<SweepEnd>,
    given?: Partial<SlotsDeps>,
  ) => Slots;
  readonly set: (shopKey: string, columns: string) => Promise<void>;
};

/** Registers shops that are due, one after the other, and stops all workers in the end. */
async function inFleet(shops: readonly string[], work: (fleet: Fleet) => Promise<void>): Promise<void> {
  await inOwnWarehouse(async (opened) => {
    const { client, db } = opened;
    const set = async (shopKey: string, columns: string) =>
      void (await client.query(
        `UPDATE ops.shop_state SET ${columns} WHERE shop_id = (SELECT shop_id FROM core.shops WHERE shop_key = $1)`,
        [shopKey],
      ));
    for (const [index, shopKey] of shops.entries()) {
      await registerShop(
        db,
        { shopKey, baseUrl: `https://${shopKey}.example`, timezone: 'UTC' },
        FIRST_STATE,
      );
      await set(shopKey, `next_sweep_at = ${AGO} + interval '${index} ms', sweep_planned_at = ${AGO}`);
    }
    const stop = new AbortController();
    const running: Promise<void>[] = [];
    const start: Fleet['start'] = (count, sweep, given = {}) => {
      const common = { db, shopKeys: () => shops, schedule: NEVER, logger: quiet, stopping: stop.signal };
      const slots = new Slots({ ...common, pollMs: 20, ...given });
      running.push(slots.run(count, sweep));
      return slots;
    };
    try {
      await work({ ...opened, start, set });
    } finally {
      stop.abort(new Error('stopped'));
      await Promise.all(running);
    }
  });
}

/** A sweep that notes its shop, and ends when `count` have been noted. */
function noted(count: number, end: SweepEnd | Promise<SweepEnd> = 'ended') {
  const [shops, all]: [string[], PromiseWithResolvers<undefined>] = [[], Promise.withResolvers<undefined>()];
  const sweep = async (shopKey: string): Promise<SweepEnd> => {
    if (shops.push(shopKey) === count) all.resolve(undefined);
    return end;
  };
  return { shops, sweep, all: () => within(`${count} sweeps have begun`, all.promise) };
}

test('each shop is swept once for a tick, however many workers there are', async () => {
  const shops = Array.from({ length: 12 }, (_, index) => `shop-${index}`);
  await inFleet(shops, async ({ start }) => {
    const { shops: seen, sweep, all } = noted(12);
    for (let workers = 0; workers < 3; workers++) start(4, sweep);
    await all();
    await sleep(200);
    expect(seen.toSorted()).toEqual(shops.toSorted());
  });
});

test('two sweeps of one shop are never run at once, whatever they end with', async () => {
  const shops = Array.from({ length: 8 }, (_, index) => `shop-${index}`);
  await inFleet(shops, async ({ start }) => {
    const running = new Set<string>();
    const counts = { sweeps: 0, overlaps: 0 };
    const enough = Promise.withResolvers<undefined>();
    const sweep = async (shopKey: string): Promise<SweepEnd> => {
      if (running.has(shopKey)) counts.overlaps += 1;
      running.add(shopKey);
      await sleep(5);
      running.delete(shopKey);
      if (++counts.sweeps === 100) enough.resolve(undefined);
      return counts.sweeps % 5 === 0 ? 'unfinished' : 'ended';
    };
    for (let workers = 0; workers < 3; workers++) start(4, sweep, { schedule: () => 0 });
    await within('a hundred sweeps', enough.promise);
    expect(counts.overlaps).toBe(0);
  });
});

test('what is due comes first, then the rest of long sweeps, each oldest first; a new shop before all', async () => {
  await inFleet(['r1', 'r2', 'd1', 'd2'], async ({ start, set }) => {
    for (const shopKey of ['r1', 'r2']) await set(shopKey, 'sweep_is_cut = true');
    const { shops, sweep, all } = noted(5);
    start(1, sweep, { shopKeys: () => ['r1', 'r2', 'd1', 'd2', 'new'] });
    await all();
    expect(shops).toEqual(['new', 'd1', 'd2', 'r1', 'r2']);
  });
});

test('an unfinished sweep goes on at once, but behind what is due', async () => {
  await inFleet(['long', 'a', 'b'], async ({ start, client }) => {
    const order: string[] = [];
    const all = Promise.withResolvers<undefined>();
    start(1, async (shopKey) => {
      if (order.push(shopKey) === 4) all.resolve(undefined);
      return shopKey === 'long' && order.length < 4 ? 'unfinished' : 'ended';
    });
    await within('all are swept', all.promise);
    expect(order).toEqual(['long', 'a', 'b', 'long']);
    await until('the rest is over', async () => {
      return (await client.query('SELECT FROM tested.shop_state WHERE sweep_is_cut')).rowCount === 0;
    });
  });
});

test('what is due is swept while long sweeps take every slot that they may', async () => {
  const long = Array.from({ length: 6 }, (_, index) => `long-${index}`);
  await inFleet([...long, 'due'], async ({ start, set }) => {
    for (const shopKey of long) await set(shopKey, 'sweep_is_cut = true');
    await set('due', "next_sweep_at = now() + interval '1 day'");
    const end = Promise.withResolvers<SweepEnd>();
    const { shops, sweep, all } = noted(3, end.promise);
    const due = Promise.withResolvers<undefined>();
    const slots = start(4, async (shopKey) => {
      if (shopKey !== 'due') return sweep(shopKey);
      due.resolve(undefined);
      return 'ended';
    });
    await all();
    await slots.hurry(['due']);
    await within('the shop is swept', due.promise);
    expect(shops).toHaveLength(3);
    end.resolve('ended');
  });
});

test('a long sweep goes on, however much is due', async () => {
  await inFleet(['long', 'a', 'b', 'c', 'd'], async ({ start, set }) => {
    await set('long', 'sweep_is_cut = true');
    const end = Promise.withResolvers<SweepEnd>();
    const { shops, sweep, all } = noted(3, end.promise);
    start(3, sweep);
    await all();
    expect(shops).toContain('long');
    end.resolve('ended');
  });
});

test('a shop that waits for a slot is seen, one that is swept, is paused or is not due is none', async () => {
  await inFleet(['a', 'paused', 'later'], async ({ start, client, db, set }) => {
    await client.query(`UPDATE core.shops SET paused_at = now() WHERE shop_key = 'paused'`);
    await set('later', "next_sweep_at = now() + interval '1 day'");
    const end = Promise.withResolvers<SweepEnd>();
    const { sweep, all } = noted(1, end.promise);
    const slots = start(1, sweep);
    await all();
    expect([await slots.hasWaiting(), await countTurns(db, ['a', 'paused', 'later'])]).toEqual([
      false,
      { queued: 0, active: 1, failed: 0 },
    ]);
    await slots.hurry(['later']);
    expect([await slots.hasWaiting(), await countTurns(db, ['a', 'paused', 'later'])]).toEqual([
      true,
      { queued: 1, active: 1, failed: 0 },
    ]);
    end.resolve('ended');
  });
});

test('the shops of a stopping worker are taken over at once', async () => {
  await inFleet(['a'], async ({ start }) => {
    const stopping = new AbortController();
    const stop = Promise.withResolvers<SweepEnd>();
    const first = noted(1, stop.promise);
    start(1, first.sweep, { stopping: stopping.signal });
    await first.all();
    const second = noted(1);
    start(1, second.sweep);
    stopping.abort(new Error('stopped'));
    stop.resolve('interrupted');
    await second.all();
    expect(second.shops).toEqual(['a']);
  });
});

test('a shop that failed waits as long as its sweep says, unless somebody requests a sweep', async () => {
  await inFleet(['a'], async ({ start }) => {
    const { shops, sweep, all } = noted(2, { retryMs: 60_000 });
    const slots = start(1, sweep);
    await until('it is swept', () => shops.length === 1);
    await sleep(100);
    expect(shops).toHaveLength(1);
    await slots.hurry(['a']);
    await all();
  });
});

test('a shop whose sweep is requested during a sweep is swept once more', async () => {
  await inFleet(['a'], async ({ start }) => {
    const end = Promise.withResolvers<SweepEnd>();
    const { shops, sweep, all } = noted(2, end.promise);
    const slots = start(1, sweep);
    await until('it is swept', () => shops.length === 1);
    await slots.hurry(['a']);
    end.resolve('ended');
    await all();
    expect(shops).toEqual(['a', 'a']);
  });
});

test('a shop whose sweep is requested while the next one is planned is swept once more', async () => {
  await inFleet(['a'], async ({ start }) => {
    const { shops, sweep, all } = noted(2);
    const schedule = () => {
      if (shops.length === 1) void slots.hurry(['a']);
      return NEVER();
    };
    const slots: Slots = start(1, sweep, { schedule });
    await all();
    expect(shops).toEqual(['a', 'a']);
  });
});

test('a shop that is not registered is tried again only after its pause', async () => {
  await inFleet([], async ({ start }) => {
    const { shops, sweep } = noted(9, { retryMs: 60_000 });
    start(3, sweep, { shopKeys: () => ['new'] });
    await until('it is tried', () => shops.length > 0);
    await sleep(200);
    expect(shops).toEqual(['new']);
  });
});

test('a sweep planned hours ahead by a fast clock comes at once', async () => {
  await inFleet(['a'], async ({ start, set }) => {
    await set(
      'a',
      "next_sweep_at = now() + interval '3 hours', sweep_planned_at = now() + interval '2 hours'",
    );
    const { shops, sweep, all } = noted(1);
    start(1, sweep);
    await all();
    expect(shops).toEqual(['a']);
  });
});

test('a shop whose sweeps end with their workers is given up for a while, and that is recorded', async () => {
  await inFleet(['died'], async ({ client, db, start }) => {
    const begin = async () => {
      const turn = await claimTurn(db, ['died'], 'due-first', 'elsewhere:1');
      // Its worker is gone, and after a while its lease ends.
      await client.query('UPDATE tested.leases SET expires_at = now()');
      return turn?.begun;
    };
    for (let times = 1; times <= MOST_BEGUN; times++) expect(await begin()).toBe(times);
    const warnings: object[] = [];
    const { shops, sweep } = noted(1);
    start(1, sweep, { logger: { ...quiet, warn: (data) => void warnings.push(data) } });
    await until('it is told', () => warnings.length > 0);
    const { rows } = await client.query('SELECT findings FROM tested.shop_state');
    expect(rows).toEqual([{ findings: { crashes: expect.stringContaining('their workers died') } }]);
    expect(warnings).toEqual([{ shop: 'died', reason: rows[0].findings.crashes }]);
    await until('it waits', async () => (await countTurns(db, ['died'])).active === 0);
    expect(shops).toEqual([]);
  });
});

test('the lease of an ended process of this machine delays nobody', async () => {
  await inFleet(['a'], async ({ client, start }) => {
    // No process has a number that high.
    const dead = leaseOwnerName().replace(/:\d+/, `:${2 ** 22 + 1}`);
    await client.query(
      `INSERT INTO ops.leases AS l (shop_id, epoch, holder, expires_at)
       SELECT shop_id, 1, $1, now() + interval '25 seconds' FROM tested.shops
       ON CONFLICT (shop_id) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at`,
      [dead],
    );
    const { shops, sweep, all } = noted(1);
    start(1, sweep);
    await all();
    expect(shops).toEqual(['a']);
  });
});
