/** Sweeps of a shop by way of a proxy that makes requests fail. */
import { expect, test } from 'vitest';

import { TerminalError } from '../../../../src/model/errors.ts';
import { createShopApi, type ShopApiOptions } from '../../../../src/shop-api/shop-api.ts';
import { startSimulator } from '../../../../src/simulator/server.ts';
import { jsonStatus } from '../../../support/fault-proxy-acts.ts';
import { FAULTS } from '../../../support/fault-proxy-list.ts';
import { CONTENTS, LISTS, type Plan, startFaultProxy, USERS } from '../../../support/fault-proxy.ts';
import { patienceMs, testTimeoutMs } from '../../../support/patience.ts';
import { PRESENT, rowsIn, untilTestEnds } from '../../../support/shop.ts';
import { openShared, sweepOnce, testClock, withoutGroups } from '../../../support/sweep.ts';
import { differences } from '../../../support/truth.ts';

/** Small, so that a sweep has many windows to be caught in. */
const PAGE_LIMIT = 3;
const MOST_IN_WINDOW = 17;
/** Orders that may have been asked for before any is written: three windows are in flight at once. */
const MOST_UNWRITTEN = 3 * MOST_IN_WINDOW + 1;
const QUICK: Pick<ShopApiOptions, 'retry' | 'circuit'> = {
  retry: { firstPauseMs: 1, maxPauseMs: 5, maxRefusals: 0 },
  circuit: { firstProbeMs: 20, maxProbeMs: 40 },
};

/** List requests of a sweep's windows, and no others. */
const WINDOWS = new RegExp(`^/adm/api/orders\\?(.*&)?limit=${PAGE_LIMIT}(&|$)`);

/** A shop behind a proxy that makes requests fail. @param days over which the orders are spread */
async function openFaulty(orders: number, days: number) {
  const simulator = untilTestEnds(await startSimulator({ orders, days, now: PRESENT }));
  const proxy = untilTestEnds(await startFaultProxy(simulator.url));
  const { client, db } = untilTestEnds(await openShared());
  const clock = testClock(PRESENT);
  /** A sweep of what is due, by a client of its own, six minutes after the one before. */
  const sweep = (limits: Pick<ShopApiOptions, 'timeoutMs'> = {}) => {
    clock.pass({ minutes: 6 });
    const access = { baseUrl: proxy.url, login: 'admin', apiKey: 'simulated-key', maxRps: 100_000 };
    const api = createShopApi({ ...access, ...QUICK, ...limits });
    const means = { now: clock.now, through: () => withoutGroups(api) };
    return sweepOnce(simulator, db, { kind: 'backfill' }, { pageLimit: PAGE_LIMIT }, means);
  };
  return { client, proxy, rows: rowsIn(client), shop: simulator.shop, sweep };
}

/** Of one try that only a time-out ends. */
const TIMEOUT_MS = Math.ceil(patienceMs() / 30);
/** One of each sort: what each of them does to a request is in the fault matrix of the client. */
const PASSING = FAULTS.filter(({ name }) => /^(stalled body|truncated JSON|503 with an HTML)/.test(name));

test.each(PASSING)(
  'if requests of each route meet $name, one sweep still makes the warehouse equal the shop',
  async ({ act, isEndless = false }) => {
    const { client, proxy, shop, sweep } = await openFaulty(24, 4);

    const [window, content] = [
      { path: WINDOWS, act, skip: 2 },
      { path: CONTENTS, act, skip: 14 },
    ];
    const more = [
      { path: LISTS, act },
      { path: CONTENTS, act, times: 2 },
    ];
    const plans: readonly Plan[] = [
      window,
      content,
      { path: USERS, act, skip: 3 },
      ...(isEndless ? [] : more),
    ];
    for (const plan of plans) proxy.plan(plan);
    const { retries, ...swept } = await sweep(isEndless ? { timeoutMs: TIMEOUT_MS } : {});
    expect(swept).toMatchObject({ status: 'ok', problems: [] });
    expect(await differences(client, shop)).toEqual([]);
    const planned = plans.reduce((sum, { times = 1 }) => sum + times, 0);
    expect(proxy.acted).toBe(planned);
    // A user is asked for anew where the answer is none, which counts as no retry.
    expect(retries).toBeGreaterThanOrEqual(planned - 1);
  },
  testTimeoutMs() * 3,
);

/** What is asked to tell a record that is refused from a login that is. */
const PROBE = /\/orders\?limit=1$/;
const ORDERS = 70;
const RUNS = 'SELECT status, error FROM tested.runs ORDER BY run_id';

test('a login that is refused in the middle of a run leaves nothing half-written, and the next sweep completes the copy', async () => {
  const { client, proxy, rows, shop, sweep } = await openFaulty(ORDERS, 7);

  proxy.plan({ path: CONTENTS, act: jsonStatus(401), skip: MOST_UNWRITTEN, times: Infinity });
  proxy.plan({ path: PROBE, act: jsonStatus(401), times: Infinity });
  const error: unknown = await sweep().catch((error: unknown) => error);
  expect(error).toBeInstanceOf(TerminalError);
  expect(error).toMatchObject({ status: 401 });
  expect(proxy.acted).toBeGreaterThan(0);
  const failed = { status: 'failed', error: expect.stringMatching(/HTTP 401.*check both/) };
  expect(await rows(RUNS)).toEqual([failed]);
  const { length: orders } = await rows('SELECT FROM tested.orders');
  expect(orders).toBeGreaterThan(0);
  expect(orders).toBeLessThan(ORDERS);
  // Each is as in the shop, its lines whole or still to come.
  const found = await differences(client, shop, { onlyFetchedLines: true });
  expect(found.filter((line) => !line.endsWith('is lost'))).toEqual([]);
  const early = `tested.order_lines JOIN tested.orders USING (shop_id, order_id) WHERE lines_state <> 'ok'`;
  expect(await rows(`SELECT FROM ${early}`)).toEqual([]);

  proxy.heal();
  await proxy.openPort();
  expect(await sweep()).toMatchObject({ status: 'ok' });
  expect((await rows(RUNS)).at(-1)).toEqual({ status: 'ok', error: null });
  expect(await differences(client, shop)).toEqual([]);
});
