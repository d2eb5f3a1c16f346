/** What a run does at each beat of its lease: time passes here by beats, while a request to the shop is not answered. */
import { setImmediate } from 'node:timers/promises';

import type { Client } from 'pg';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';

import { TransientError } from '../../../src/model/errors.ts';
import type { ShopApi } from '../../../src/shop-api/shop-api.ts';
import { FORCED, openOwnShop } from '../../support/shop.ts';
import { OF_TEST_SHOP, withoutGroups } from '../../support/sweep.ts';

const BEAT_MS = 5_000;
/** Beats in which work that was told to stop may still end. */
const BEATS_TO_STOP = 4;

let aheadMs = 0;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  // Goes on between beats too, or a client that waits for its turn would wait for ever.
  const monotonic = performance.now.bind(performance);
  aheadMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => monotonic() + aheadMs);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function passBeats(beats: number): void {
  for (let beat = 0; beat < beats; beat += 1) {
    aheadMs += BEAT_MS;
    vi.advanceTimersByTime(BEAT_MS);
  }
}

/** A sweep that has loaded the orders of a shop, and waits for the answer about one of their buyers. */
async function openHanging() {
  const ground = await openOwnShop({ orders: 12, days: 3, seed: 5 });
  const stopping = new AbortController();
  const asked = Promise.withResolvers<AbortSignal | undefined>();
  const answer = Promise.withResolvers<void>();
  const through = (api: ShopApi): ShopApi => ({
    ...withoutGroups(api),
    // As if nothing was answered: only at the end does that mean that the shop is down.
    health: { ...api.health, answers: 0, isFailing: true },
    async userResponse(userOid, signal) {
      asked.resolve(signal);
      await answer.promise;
      return api.userResponse(userOid, signal);
    },
  });
  const sweeping = ground.sweep(FORCED, {}, { through, signal: stopping.signal });
  sweeping.catch(() => undefined);
  /** Answers what hangs. @param error instead of an answer */
  const letGo = (error?: Error) => (error === undefined ? answer.resolve() : answer.reject(error));
  onTestFinished(async () => {
    letGo();
    await sweeping.catch(() => undefined);
  });
  const signal = await asked.promise;
  // Written, and counted among what the run has done.
  await eventually(async () => expect(await ground.rows('SELECT FROM tested.orders')).toHaveLength(12));
  await setImmediate();
  const stop = (reason: Error) => stopping.abort(reason);
  return { ...ground, sweeping, stop, letGo, signal };
}

/** Asks the database over and over, since no clock of Vitest may pass meanwhile. */
async function eventually(check: () => Promise<void>): Promise<void> {
  for (const deadline = Date.now() + 20_000; Date.now() < deadline;) {
    const isTrue = await check().then(
      () => true,
      () => false,
    );
    if (isTrue) return;
  }
  await check();
}

/** Records each time that the lease is made to last. */
async function recordRenewals(client: Client): Promise<() => Promise<number>> {
  await client.query(`
    CREATE TABLE public.renewals (at timestamptz NOT NULL DEFAULT clock_timestamp());
    CREATE FUNCTION public.record_renewal() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN INSERT INTO public.renewals DEFAULT VALUES; RETURN NULL; END';
    CREATE TRIGGER renewed AFTER UPDATE ON ops.leases FOR EACH ROW
      WHEN (NEW.expires_at > OLD.expires_at) EXECUTE FUNCTION public.record_renewal()`);
  return async () => {
    const { rows } = await client.query<{ renewals: number }>(
      'SELECT count(*)::int AS renewals FROM public.renewals',
    );
    return rows[0]?.renewals ?? 0;
  };
}

test('work that hangs after an abort keeps its lease for twenty seconds', async () => {
  const { client, sweeping, stop, letGo } = await openHanging();

  const renewals = await recordRenewals(client);
  passBeats(BEATS_TO_STOP * 2);
  await eventually(async () => expect(await renewals()).toBe(BEATS_TO_STOP * 2));
  stop(new Error('stopped'));
  passBeats(BEATS_TO_STOP * 5);
  letGo(new Error('too late'));
  await expect(sweeping).rejects.toThrow(/stopped|too late/);
  // All beats are over when a sweep is.
  expect(await renewals()).toBe(BEATS_TO_STOP * 3);
});

test('a sweep whose lease was taken ends as failed, and says that another process goes on', async () => {
  const { client, sweeping, signal, letGo } = await openHanging();

  await client.query(`UPDATE ops.leases SET epoch = epoch + 1, holder = 'another' WHERE ${OF_TEST_SHOP}`);
  passBeats(1);
  // The shop is not asked on behalf of a sweep that may write nothing.
  await eventually(async () => {
    await setImmediate();
    expect(signal?.aborted).toBe(true);
  });
  letGo(new TransientError('the connection was closed'));
  await expect(sweeping).rejects.toThrow(/another process took over shop/);
  const { rows } = await client.query(
    `SELECT status, error, holder FROM ops.runs JOIN ops.leases USING (shop_id) WHERE ${OF_TEST_SHOP}`,
  );
  expect(rows).toEqual([
    { status: 'failed', error: expect.stringContaining('another process took over'), holder: 'another' },
  ]);
});

test('at each beat the figures so far, the requests and the state of the shop are saved, and no request counts twice', async () => {
  const { client, simulator, sweeping, letGo } = await openHanging();

  const saved = async () => {
    const { rows } = await client.query<Record<string, unknown>>(`
        SELECT r.status, r.orders_new, s.looked_at IS NOT NULL AS is_looked_at, f.orders, s.memory #>> '{throttle,circuit}' AS circuit,
          (SELECT sum(sent::int)::int FROM jsonb_array_elements_text(s.memory #> '{requests,counts}') AS hours (sent)) AS sent
        FROM ops.runs r JOIN ops.shop_state s USING (shop_id) LEFT JOIN ops.shop_figures f USING (shop_id)
        WHERE ${OF_TEST_SHOP}`);
    return rows;
  };
  expect(await saved()).toMatchObject([{ orders_new: 0, is_looked_at: false, orders: null }]);
  passBeats(1);
  let sent = 0;
  await eventually(async () => {
    sent = simulator.requests.count();
    expect(await saved()).toEqual([
      { status: 'running', orders_new: 12, is_looked_at: true, orders: null, circuit: 'closed', sent },
    ]);
  });
  passBeats(12);
  await eventually(async () => expect(await saved()).toMatchObject([{ orders: 12, sent }]));
  letGo();
  await sweeping;
  expect(await saved()).toMatchObject([{ status: 'ok', circuit: 'open', sent: simulator.requests.count() }]);
});

test.each([
  ['interrupted', 'asked to stop', new Error('stopped')],
  ['failed', 'the sweep took too long', new TransientError('the sweep took too long')],
])('a sweep that is stopped ends as %s with "%s", and what it did is kept', async (status, error, reason) => {
  const { client, sweeping, stop, letGo } = await openHanging();

  stop(reason);
  letGo();
  await expect(sweeping).rejects.toBe(reason);
  const { rows } = await client.query(
    `SELECT r.status, r.error, r.orders_new, f.orders, s.looked_at IS NOT NULL AS is_looked_at
         FROM ops.runs r JOIN ops.shop_state s USING (shop_id) LEFT JOIN ops.shop_figures f USING (shop_id)
         WHERE ${OF_TEST_SHOP}`,
  );
  const orders = status === 'failed' ? 12 : null;
  expect(rows).toEqual([{ status, error, orders_new: 12, orders, is_looked_at: true }]);
});
