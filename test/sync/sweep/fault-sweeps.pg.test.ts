import { expect, test } from 'vitest';

import { TerminalError } from '../../../src/model/errors.ts';
import { jsonStatus } from '../../support/fault-proxy-acts.ts';
import { FAULTS } from '../../support/fault-proxy-list.ts';
import { CONTENTS, LISTS, type Plan, USERS } from '../../support/fault-proxy.ts';
import { patienceMs, testTimeoutMs } from '../../support/patience.ts';
import { MOST_UNWRITTEN, WINDOWS, withFaultyShop } from './fault-sweep.ts';

/** Of one try that only a time-out ends. */
const TIMEOUT_MS = Math.ceil(patienceMs() / 30);
/** One of each sort: what each of them does to a request is in the fault matrix of the client. */
const PASSING = FAULTS.filter(({ name }) => /^(stalled body|truncated JSON|503 with an HTML)/.test(name));

test.each(PASSING)(
  'if requests of each route meet $name, one sweep still makes the warehouse equal the shop',
  ({ act, isEndless = false }) =>
    withFaultyShop(24, 4, async ({ proxy, sweep, countMatching, differences }) => {
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
      expect(await countMatching()).toBe(24);
      expect(await differences()).toEqual([]);
      const planned = plans.reduce((sum, { times = 1 }) => sum + times, 0);
      expect(proxy.acted).toBe(planned);
      // A user is asked for anew where the answer is none, which counts as no retry.
      expect(retries).toBeGreaterThanOrEqual(planned - 1);
    }),
  testTimeoutMs() * 3,
);

/** What is asked to tell a record that is refused from a login that is. */
const PROBE = /\/orders\?limit=1$/;
const ORDERS = 70;

test('a login that is refused in the middle of a run leaves nothing half-written, and the next sweep completes the copy', () =>
  withFaultyShop(ORDERS, 7, async ({ proxy, sweep, countMatching, differences, halfWritten, runs }) => {
    proxy.plan({ path: CONTENTS, act: jsonStatus(401), skip: MOST_UNWRITTEN, times: Infinity });
    proxy.plan({ path: PROBE, act: jsonStatus(401), times: Infinity });
    const error: unknown = await sweep().catch((error: unknown) => error);
    expect(error).toBeInstanceOf(TerminalError);
    expect(error).toMatchObject({ status: 401 });
    expect(proxy.acted).toBeGreaterThan(0);
    const failed = { status: 'failed', error: expect.stringMatching(/HTTP 401.*check both/) };
    expect(await runs()).toEqual([failed]);
    const orders = await countMatching();
    expect(orders).toBeGreaterThan(0);
    expect(orders).toBeLessThan(ORDERS);
    expect(await halfWritten()).toEqual([]);

    proxy.heal();
    await proxy.openPort();
    expect(await sweep()).toMatchObject({ status: 'ok' });
    expect((await runs()).at(-1)).toEqual({ status: 'ok', error: null });
    expect(await differences()).toEqual([]);
  }));
