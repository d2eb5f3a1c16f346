import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { TerminalError } from '../../../src/model/errors.ts';
import { comeBack, jsonStatus } from '../../support/fault-proxy-acts.ts';
import { FAULTS } from '../../support/fault-proxy-list.ts';
import { CONTENTS, LISTS, type Plan, USERS } from '../../support/fault-proxy.ts';
import { patienceMs, testTimeoutMs } from '../../support/patience.ts';
import {
  type FaultyShop,
  openGround,
  type OpenGround,
  WINDOWS,
  withFaultyShop,
  MOST_UNWRITTEN,
} from './fault-sweep.ts';

/** Requests of one client at once, by default. */
const IN_FLIGHT = 16;
/** Of one try that only a time-out ends. */
const TIMEOUT_MS = patienceMs() / 30;
/** One of each sort: what each of them does to a request is in the fault matrix of the client. */
const PASSING = FAULTS.filter(({ name }) => /^(stalled body|truncated JSON|503 with an HTML)/.test(name));

test.each(PASSING)(
  'though requests of each route meet with $name, one sweep makes the warehouse equal the shop',
  async ({ name, act, isEndless = false }) => {
    await using ground = await openGround(24, 4);
    await withFaultyShop(ground, name, async ({ proxy, sweep, held, differences }) => {
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
      expect(await held()).toMatchObject({ orders: 24 });
      expect(await differences()).toEqual([]);
      const planned = plans.reduce((sum, { times = 1 }) => sum + times, 0);
      expect(proxy.acted).toBe(planned);
      // A user is asked for anew where the answer is none, which counts as no retry.
      expect(retries).toBeGreaterThanOrEqual(planned - 1);
    });
  },
  testTimeoutMs() * 3,
);

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

  test('401 in the middle of a run', () =>
    withFaultyShop(ground, '401', async (shop) => {
      shop.proxy.plan({ path: CONTENTS, act: jsonStatus(401), skip: MOST_UNWRITTEN, times: Infinity });
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
      expect(orders).toBeLessThan(ORDERS);
      await completes(shop);
    }));

  test('a shop that requests a pause of two hours ends the sweep early, and gets no requests until then', () =>
    withFaultyShop(ground, 'pause', async (shop) => {
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
    }));
});
