import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { openDatabase } from '../../src/warehouse/db/database.ts';
import { openQueue, type SweepEnd, type SweepQueue } from '../../src/worker/queue.ts';
import type { QueuedSweep } from '../../src/worker/queue.ts';
import { freshDatabase } from '../support/database.ts';
import { until, within } from '../support/until.ts';

const logger = { debug: () => undefined, info: () => undefined, warn: () => undefined };
const nobodyDies = async () => undefined;

type Work = (queues: readonly SweepQueue[], query: (text: string) => Promise<unknown>) => Promise<void>;

const shared = new AsyncDisposableStack();
let sharedUrl: string;
beforeAll(async () => {
  sharedUrl = shared.use(await freshDatabase()).url;
});
afterAll(() => shared.disposeAsync());

/** Queues of several workers on the database of this file, where jobs of other tests are gone. */
async function withQueues(count: number, work: Work): Promise<void> {
  {
    await using database = await openDatabase(sharedUrl, 1);
    await database.query(
      `DO $$ BEGIN IF to_regclass('order_sync_queue.job') IS NOT NULL THEN DELETE FROM order_sync_queue.job; END IF; END $$`,
    );
  }
  await onDatabase(sharedUrl, count, work);
}

/** A queue on a database of its own. */
async function withOwnQueue(work: Work): Promise<void> {
  await using fresh = await freshDatabase();
  await onDatabase(fresh.url, 1, work);
}

async function onDatabase(url: string, count: number, work: Work): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await openDatabase(url, 6));
  const queues: SweepQueue[] = [];
  for (let index = 0; index < count; index++) {
    queues.push(
      stack.use(await openQueue({ database, sweepDeadlineMs: 60_000, pollMs: 500, deadPollMs: 500, logger })),
    );
  }
  await work(queues, (text) => database.query(text));
}

const due = (...shopKeys: string[]) => shopKeys.map((shopKey): QueuedSweep => ({ shopKey, urgency: 'due' }));

test('a tick adds one sweep of a shop, however many workers send it and however soon it ends', async () => {
  await withQueues(2, async ([one, other]) => {
    if (one === undefined || other === undefined) throw new Error('no queue');
    const tick = new Date('2026-03-10T12:00:00Z');
    expect(await one.add(due('a', 'b'), tick)).toBe(2);
    expect(await other.add(due('a', 'b', 'c'), tick)).toBe(1);
    const swept = Promise.withResolvers<undefined>();
    const seen: string[] = [];
    await one.work(
      1,
      async (shop) => {
        seen.push(shop);
        if (shop === 'last') swept.resolve(undefined);
        return 'ended';
      },
      nobodyDies,
    );
    await one.add([{ shopKey: 'last', urgency: 'rest' }]);
    await within('the shop is swept', swept.promise);
    expect(await other.add(due('a', 'b', 'c'), tick), 'they have ended').toBe(0);
    expect(seen.toSorted()).toEqual(['a', 'b', 'c', 'last']);
    expect(await other.add(due('a'), new Date('2026-03-10T12:01:00Z'))).toBe(1);
  });
});

test('a tick that a clock running ahead has had before adds a sweep all the same', async () => {
  await withQueues(1, async ([queue], query) => {
    if (queue === undefined) throw new Error('no queue');
    await queue.work(1, async () => 'ended', nobodyDies);
    const addsOne = async (what: string, tick: Date) =>
      until(what, async () => (await queue.add(due('a'), tick)) === 1);
    const tick = new Date(Date.now() + 3 * 3_600_000);
    expect(await queue.add(due('a'), tick)).toBe(1);
    // By the database's clock it was added long before it came.
    await addsOne("a tick of a worker's clock that ran ahead", tick);
    const present = new Date();
    await addsOne('a tick of now', present);
    await until("a tick of the database's clock that ran ahead", async () => {
      await query(
        `UPDATE order_sync_queue.job SET created_on = now() + interval '3 hours' WHERE state = 'completed'`,
      );
      return (await queue.add(due('a'), present)) === 1;
    });
  });
});

test('a sweep that was added while the clock ran ahead does not wait until then', async () => {
  await withQueues(1, async ([queue], query) => {
    if (queue === undefined) throw new Error('no queue');
    expect(await queue.add(due('a'))).toBe(1);
    await query(
      `UPDATE order_sync_queue.job SET start_after = now() + interval '3 hours', created_on = now() + interval '3 hours'`,
    );
    await query(`UPDATE order_sync_queue.queue SET monitor_on = now() + interval '3 hours'`);
    const swept = Promise.withResolvers<string>();
    const sweep = async (shop: string) => {
      swept.resolve(shop);
      return 'ended' as const;
    };
    await queue.work(1, sweep, nobodyDies);
    await queue.add(due('b'), new Date());
    expect(await within('it is swept', swept.promise)).toBe('a');
    await query(
      `DO $$ BEGIN ASSERT NOT EXISTS (SELECT FROM order_sync_queue.queue WHERE monitor_on > now()); END $$`,
    );
  });
});

test('sweeps of a tick are looked for in short intervals', async () => {
  await withQueues(1, async ([queue]) => {
    if (queue === undefined) throw new Error('no queue');
    const swept = Promise.withResolvers<string>();
    const isIdle = Promise.withResolvers<undefined>();
    const sweep = async (shop: string) => {
      if (shop === 'first') isIdle.resolve(undefined);
      else swept.resolve(shop);
      return 'ended' as const;
    };
    await queue.work(1, sweep, nobodyDies);
    await queue.add(due('first'));
    await within('the worker has nothing to do', isIdle.promise);
    // It has looked once more, in vain.
    await sleep(300);
    await queue.add(due('later'), new Date('2026-03-10T12:00:00Z'));
    expect(await within('the next is swept', swept.promise)).toBe('later');
  });
});

test('new shops come first, then what is due, then the rest of long sweeps, each oldest first', async () => {
  await withQueues(1, async ([queue]) => {
    if (queue === undefined) throw new Error('no queue');
    for (const shopKey of ['r1', 'r2']) await queue.add([{ shopKey, urgency: 'rest' }]);
    for (const shopKey of ['d1', 'd2']) await queue.add(due(shopKey));
    for (const shopKey of ['n1', 'n2']) await queue.add([{ shopKey, urgency: 'new' }]);
    const order: string[] = [];
    const all = Promise.withResolvers<undefined>();
    await queue.work(
      1,
      async (shop) => {
        if (order.push(shop) === 6) all.resolve(undefined);
        return 'ended';
      },
      nobodyDies,
    );
    await within('all are swept', all.promise);
    expect(order).toEqual(['n1', 'n2', 'd1', 'd2', 'r1', 'r2']);
  });
});

test('an unfinished sweep goes on at once, but behind what is due', async () => {
  await withQueues(1, async ([queue], query) => {
    if (queue === undefined) throw new Error('no queue');
    await queue.add(due('long', 'a', 'b'));
    const order: string[] = [];
    const all = Promise.withResolvers<undefined>();
    const sweep = async (shop: string): Promise<SweepEnd> => {
      order.push(shop);
      if (order.length === 5) all.resolve(undefined);
      return shop === 'long' && order.length < 5 ? 'unfinished' : 'ended';
    };
    await queue.work(1, sweep, nobodyDies);
    await within('all are swept', all.promise);
    const firstLong = order.indexOf('long');
    const others = order.slice(firstLong + 1).filter((shop) => shop !== 'long');
    expect(order.slice(firstLong + 1, firstLong + 1 + others.length)).toEqual(others);
    expect(order.filter((shop) => shop === 'long')).toHaveLength(3);
    const priorities = `SELECT priority FROM order_sync_queue.job WHERE data->>'shopKey' = 'long' ORDER BY created_on`;
    expect(await query(priorities)).toMatchObject({ rows: [1, 0, 0].map((priority) => ({ priority })) });
  });
});

test('what is due is swept while long sweeps take every slot that they may', async () => {
  await withOwnQueue(async ([queue]) => {
    if (queue === undefined) throw new Error('no queue');
    const ended = Promise.withResolvers<SweepEnd>();
    const begun = Array.from({ length: 3 }, () => Promise.withResolvers<string>());
    const swept = Promise.withResolvers<undefined>();
    let count = 0;
    const sweep = async (shop: string): Promise<SweepEnd> => {
      if (shop === 'due') {
        swept.resolve(undefined);
        return 'ended';
      }
      begun[count++]?.resolve(shop);
      return ended.promise;
    };
    // First loads are long too, and so is the rest of them.
    const long = (['new', 'new', 'new', 'rest', 'rest', 'rest'] as const).entries();
    await queue.add([...long].map(([index, urgency]) => ({ shopKey: `long-${index}`, urgency })));
    await queue.work(4, sweep, nobodyDies);
    await within('three have begun', Promise.all(begun.map(({ promise }) => promise)));
    await queue.add(due('due'));
    await within('the shop is swept', swept.promise);
    expect(count).toBe(3);
    ended.resolve('ended');
  });
});

test('a long sweep goes on, however much is due', async () => {
  await withQueues(1, async ([queue]) => {
    if (queue === undefined) throw new Error('no queue');
    await queue.add([{ shopKey: 'long', urgency: 'rest' }]);
    await queue.add(due('a', 'b', 'c', 'd'));
    const ended = Promise.withResolvers<SweepEnd>();
    const three = Promise.withResolvers<undefined>();
    const begun: string[] = [];
    const sweep = async (shop: string): Promise<SweepEnd> => {
      if (begun.push(shop) === 3) three.resolve(undefined);
      return ended.promise;
    };
    await queue.work(3, sweep, nobodyDies);
    await within('three have begun', three.promise);
    expect(begun).toContain('long');
    ended.resolve('ended');
  });
});

test('two sweeps of one shop are never run at once, whoever adds them', async () => {
  await withQueues(3, async (queues) => {
    const running = new Set<string>();
    const counts = { sweeps: 0, overlaps: 0, unfinished: 0 };
    const sweep = async (shop: string): Promise<SweepEnd> => {
      if (running.has(shop)) counts.overlaps += 1;
      running.add(shop);
      counts.sweeps += 1;
      await sleep(5);
      running.delete(shop);
      if (counts.sweeps % 5 !== 0) return 'ended';
      counts.unfinished += 1;
      return 'unfinished';
    };
    for (const queue of queues) await queue.work(4, sweep, nobodyDies);
    const shops = Array.from({ length: 8 }, (_, index) => `shop-${index}`);
    for (let round = 0; counts.sweeps < 60 || counts.unfinished < 5; round++) {
      const tick = round % 3 === 0 ? undefined : new Date(round * 1_000);
      await Promise.all(queues.map((queue) => queue.add(due(...shops), tick)));
      await sleep(10);
    }
    expect(counts.overlaps).toBe(0);
  });
});

test('what a worker leaves when it stops waits for another, in a queue with the settings of this version', async () => {
  await using fresh = await freshDatabase();
  await using database = await openDatabase(fresh.url, 4);
  const options = { database, sweepDeadlineMs: 60_000, pollMs: 500, logger };
  const settings = `SELECT retry_limit, expire_seconds FROM order_sync_queue.queue WHERE name = 'order-sync-sweep'`;
  const stopped = await openQueue(options);
  const [begun, stop] = [Promise.withResolvers<undefined>(), Promise.withResolvers<SweepEnd>()];
  const sweep = async () => {
    begun.resolve(undefined);
    return stop.promise;
  };
  await stopped.work(1, sweep, nobodyDies);
  await stopped.add(due('a'));
  await within('the sweep has begun', begun.promise);
  await database.query('UPDATE order_sync_queue.queue SET retry_limit = 0, expire_seconds = 1');
  await using other = await openQueue(options);
  // A worker that dies must not cost a sweep, and the watchdog comes before the queue.
  expect((await database.query(settings)).rows).toEqual([{ retry_limit: 5, expire_seconds: 120 }]);
  const closed = stopped[Symbol.asyncDispose]();
  stop.resolve('interrupted');
  await closed;
  expect(await other.stats()).toMatchObject({ queued: 1, active: 0 });
  // Ahead of the rest of long sweeps.
  const waiting = `SELECT priority FROM order_sync_queue.job WHERE state = 'created'`;
  expect((await database.query(waiting)).rows).toEqual([{ priority: 1 }]);
});

// pg-boss looks at its tables every few seconds: these two wait for that side by side.
test.concurrent('one sweep that waits for a slot is seen, one that runs is none', async () => {
  await withOwnQueue(async ([queue]) => {
    if (queue === undefined) throw new Error('no queue');
    const [begun, end] = [Promise.withResolvers<undefined>(), Promise.withResolvers<SweepEnd>()];
    const sweep = async () => {
      begun.resolve(undefined);
      return end.promise;
    };
    await queue.work(1, sweep, nobodyDies);
    await queue.add(due('a'));
    await within('it has begun', begun.promise);
    await until('none waits', async () => !(await queue.hasWaiting()));
    await queue.add(due('b'));
    await until('one waits', () => queue.hasWaiting());
    end.resolve('ended');
  });
});

test.concurrent('a sweep that its worker left unfinished counts as a death, one that failed does not', async () => {
  await withOwnQueue(async ([queue], query) => {
    if (queue === undefined) throw new Error('no queue');
    await query(`UPDATE order_sync_queue.queue SET retry_limit = 0 WHERE name = 'order-sync-sweep'`);
    const given = Promise.withResolvers<undefined>();
    const stop = Promise.withResolvers<SweepEnd>();
    const ends: object[] = [];
    const sweep = async (shop: string): Promise<SweepEnd> => {
      if (shop === 'refused') throw Object.assign(new Error('password failed'), { code: '28P01' });
      // As if it had begun long ago, in a process that is gone.
      await query(
        `UPDATE order_sync_queue.job SET started_on = now() - interval '1 day' WHERE state = 'active'`,
      );
      return stop.promise;
    };
    await queue.work(1, sweep, async (shopKey, reason) => {
      if (ends.push({ shopKey, reason }) === 2) given.resolve(undefined);
    });
    await queue.add(due('refused'));
    await queue.add(due('died'));
    await within('both are given up', given.promise);
    stop.resolve('ended');
    expect(ends).toHaveLength(2);
    expect(ends).toContainEqual({ shopKey: 'died', reason: undefined });
    expect(ends).toContainEqual({ shopKey: 'refused', reason: expect.stringMatching(/^the /) });
  });
});
