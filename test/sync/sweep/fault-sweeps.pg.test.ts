import pLimit from 'p-limit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { TerminalError, UnavailableError } from '../../../src/model/errors.ts';
import type { Progress } from '../../../src/sync/run/context.ts';
import { comeBack, gzipBombAnswer, jsonStatus, portClosed } from '../../support/fault-proxy-acts.ts';
import { type Fault, FAULTS } from '../../support/fault-proxy-list.ts';
import { CONTENTS, LISTS, type Plan, USERS } from '../../support/fault-proxy.ts';
import { patienceMs, testTimeoutMs } from '../../support/patience.ts';
import {
  type FaultyShop,
  openGround,
  type OpenGround,
  WINDOWS,
  withFaultyShop,
  MOST_UNWRITTEN,
  type HttpLimits,
} from './fault-sweep.ts';
import { everyday } from '../../support/long.ts';
import { longTest } from '../../support/long-test.ts';

/** Some wait for a time-out; more of them would make each other late. */
const SWEEPS_AT_ONCE = 4;
/** Requests of one client at once, by default. */
const IN_FLIGHT = 16;
/** Of one try that only a time-out ends. */
const TIMEOUT_MS = patienceMs() / 12;

describe('after temporary faults, one sweep makes the warehouse equal the shop', () => {
  const passing = everyday(
    FAULTS.filter(({ kind }) => kind !== 'refused' && kind !== 'unavailable'),
    'stalled body',
    'truncated JSON',
    '503 with an HTML page',
  );
  const findings = new Map<string, Promise<Finding>>();
  const ORDERS = 24;
  let ground: OpenGround;
  afterAll(() => ground[Symbol.asyncDispose]());

  beforeAll(async () => {
    ground = await openGround(ORDERS, 4);
    const limit = pLimit(SWEEPS_AT_ONCE);
    for (const fault of passing.toSorted((a, b) => waitOf(b) - waitOf(a))) {
      const finding = limit(() => sweepThrough(ground, fault));
      // Its test meets a failure later; until then it must not count as unhandled.
      finding.catch(() => undefined);
      findings.set(fault.name, finding);
    }
  });

  test.each(passing)(
    '$name',
    async ({ name, kind }) => {
      const finding = await findings.get(name);
      expect(finding).toMatchObject({ status: 'ok', problems: [], differences: [], orders: ORDERS });
      expect(finding?.acted).toBe(finding?.planned);
      // A user is asked for anew where the answer is none, which counts as no retry.
      const healed = (finding?.planned ?? Infinity) - 1;
      if (kind !== 'harmless') expect(finding?.retries).toBeGreaterThanOrEqual(healed);
    },
    // The first test waits while the sweeps of most others run.
    testTimeoutMs() * 3,
  );
});

const waitOf = ({ pauseMs = 0, isEndless = false }: Fault) => pauseMs + (isEndless ? TIMEOUT_MS : 0);

type Finding = {
  readonly status: string;
  readonly problems: readonly string[];
  readonly differences: readonly string[];
  readonly orders: number;
  readonly planned: number;
  readonly acted: number;
  readonly retries: number;
};

/** Faults that take long are met with less often. */
function plansOf({ act, pauseMs, isEndless }: Fault): readonly Plan[] {
  const [window, content] = [
    { path: WINDOWS, act, skip: 2 },
    { path: CONTENTS, act, skip: 14 },
  ];
  if (pauseMs !== undefined) return [window, content];
  if (isEndless) return [window, content, { path: USERS, act }];
  return [
    { path: LISTS, act },
    window,
    { path: CONTENTS, act, times: 2 },
    content,
    { path: USERS, act, skip: 3 },
  ];
}

function limitsFor({ isEndless, closesPort }: Fault): HttpLimits {
  // A shop that never answered yet counts as wrongly set up: it is tried, but not waited for.
  if (closesPort) return { retry: { firstPauseMs: 40, maxPauseMs: 80 } };
  return isEndless ? { timeoutMs: TIMEOUT_MS } : {};
}

async function sweepThrough(ground: OpenGround, fault: Fault): Promise<Finding> {
  return withFaultyShop(ground, fault.name, async ({ proxy, sweep, held, differences }) => {
    const plans = plansOf(fault);
    for (const plan of plans) proxy.plan(plan);
    const { status, problems, retries } = await sweep(limitsFor(fault));
    const { orders } = await held();
    const planned = plans.reduce((sum, { times = 1 }) => sum + times, 0);
    const figures = { orders, planned, acted: proxy.acted, retries };
    return { status, problems, differences: await differences(), ...figures };
  });
}

/** What is asked to tell a record that is refused from a login that is. */
const PROBE = /\/orders\?limit=1$/;

describe('a fatal fault leaves nothing half-written, and the next sweep completes the copy', () => {
  const ORDERS = 70;
  let ground: OpenGround;
  beforeAll(async () => {
    ground = await openGround(ORDERS, 7);
  });
  afterAll(() => ground[Symbol.asyncDispose]());

  async function completes({ proxy, sweep, differences, halfWritten, runs }: FaultyShop): Promise<void> {
    expect(await halfWritten()).toEqual([]);
    proxy.heal();
    await proxy.openPort();
    expect(await sweep()).toMatchObject({ status: 'ok' });
    expect((await runs()).at(-1)).toEqual({ status: 'ok', error: null });
    expect(await differences()).toEqual([]);
  }

  const requests = [
    { name: 'list', path: WINDOWS, skip: 90 },
    { name: 'content', path: CONTENTS, skip: MOST_UNWRITTEN },
    { name: 'user', path: USERS, skip: 5 },
  ];
  test.each(everyday(requests, 'content'))(
    '401 at a $name request in the middle of a run',
    async (request) => {
      const { name, path, skip } = request;
      await withFaultyShop(ground, `401 ${name}`, async (shop) => {
        shop.proxy.plan({ path, act: jsonStatus(401), skip, times: Infinity });
        shop.proxy.plan({ path: PROBE, act: jsonStatus(401), times: Infinity });
        const error: unknown = await shop.sweep().catch((error: unknown) => error);
        expect(error).toBeInstanceOf(TerminalError);
        expect(error).toMatchObject({ status: 401 });
        expect(shop.proxy.acted).toBeGreaterThan(0);
        const [run] = await shop.runs();
        expect(run).toMatchObject({ status: 'failed' });
        expect(run?.error).toMatch(/HTTP 401.*check both/);
        const { orders } = await shop.held();
        expect(orders).toBeGreaterThan(0);
        if (name !== 'user') expect(orders).toBeLessThan(ORDERS);
        await completes(shop);
      });
    },
  );

  test('a shop that requests a pause of two hours ends the sweep early, and gets no requests until then', async () => {
    await withFaultyShop(ground, 'pause', async (shop) => {
      const { proxy, sweep, held, pass } = shop;
      proxy.plan({ path: CONTENTS, act: comeBack(429, () => '7200'), skip: MOST_UNWRITTEN, times: Infinity });
      const sentence = /requested a pause of 7200 s.*retry after \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/;
      const { status, problems } = await sweep();
      expect(status).toBe('partial');
      expect(problems.join('; ')).toMatch(sentence);
      const [run] = await shop.runs();
      expect(run).toMatchObject({ status: 'partial', error: expect.stringMatching(sentence) });
      expect(proxy.acted, 'none but those that were in flight').toBeLessThanOrEqual(IN_FLIGHT);
      expect(proxy.acted).toBeGreaterThan(0);
      const { whole } = await held();
      expect(whole).toBeGreaterThan(0);
      expect(whole).toBeLessThan(ORDERS);
      expect(await shop.halfWritten()).toEqual([]);

      const asked = proxy.count(/./);
      expect(await sweep()).toMatchObject({ status: 'partial', requests: 0 });
      expect(proxy.count(/./)).toBe(asked);
      pass({ hours: 2 });
      await completes(shop);
    });
  });

  longTest('a shop that serves a few contents an hour is read over several sweeps', async () => {
    await withFaultyShop(ground, 'quota', async (shop) => {
      const quota = 20;
      let [before, stored] = [0, 0];
      for (let hours = 0; hours < 3; hours += 1) {
        shop.proxy.heal();
        shop.proxy.plan({ path: CONTENTS, act: comeBack(429, () => '3600'), skip: quota, times: Infinity });
        let read: () => Progress | undefined = () => undefined;
        expect(await shop.sweep({}, (given) => void (read = given))).toMatchObject({ status: 'partial' });
        const { orders, whole } = await shop.held();
        expect(read()?.orders_stored).toBe(orders - stored);
        stored = orders;
        expect(whole - before, 'but for those in flight').toBeGreaterThan(quota - IN_FLIGHT);
        before = whole;
        shop.pass({ hours: 1, minutes: 1 });
      }
      await completes(shop);
    });
  });

  longTest('a shop that is unavailable for longer than the limit fails the run', async () => {
    await withFaultyShop(ground, 'away', async (shop) => {
      shop.proxy.plan({ path: CONTENTS, act: portClosed(Infinity), skip: MOST_UNWRITTEN });
      const error: unknown = await shop.sweep({ maxOutageMs: 100 }).catch((error: unknown) => error);
      expect(error).toBeInstanceOf(UnavailableError);
      expect(shop.proxy.acted).toBe(1);
      const [run] = await shop.runs();
      expect(run).toMatchObject({ status: 'failed' });
      expect(run?.error).toMatch(/has not answered for \d+ s.*nothing listens there.*the next run resumes/);
      const { whole } = await shop.held();
      expect(whole).toBeGreaterThan(0);
      expect(whole).toBeLessThan(ORDERS);
      await completes(shop);
    });
  });

  longTest('lines that always unpack to a gigabyte affect only their own order', async () => {
    await withFaultyShop(ground, 'bombs', async (shop) => {
      const id = ground.simulator.shop.orders().find(({ lines }) => lines.length > 2)?.orderId;
      const path = new RegExp(`^/adm/api/orders/${id}$`);
      shop.proxy.plan({ path, act: gzipBombAnswer, times: Infinity });
      const { status, problems } = await shop.sweep();
      expect({ status, acted: shop.proxy.acted }).toEqual({ status: 'partial', acted: 2 });
      expect(problems.join('; ')).toMatch(
        /^the lines of order \d+ could not be fetched: GET \/orders\/ID: the response is larger than \d+ bytes/,
      );
      expect(await shop.held()).toEqual({ orders: ORDERS, whole: ORDERS - 1, linesOfOthers: 0 });
      await completes(shop);
    });
  });
});
