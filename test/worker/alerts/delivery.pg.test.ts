import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from 'drizzle-orm';

import { ALERT_CAUSES } from '../../../src/model/alert-facts.ts';
import { closeAlerts, pruneAlerts, raiseAlerts } from '../../../src/warehouse/ops/alerts.ts';
import { openDatabase } from '../../../src/warehouse/db/database.ts';
import {
  deliverAlerts,
  type DeliveryContext,
  processAlerts,
} from '../../../src/worker/alerts/deliver-alerts.ts';
import { createWebhook } from '../../../src/worker/alerts/webhook.ts';
import { type Hook, startHook } from '../../support/hook.ts';
import { type TestClock, testClock } from '../../support/sweep.ts';
import { openTestWarehouse, type TestWarehouse } from '../../warehouse/test-warehouse.ts';

const START = Temporal.Instant.from('2026-03-10T12:00:00Z');
const running = new AbortController().signal;

let warehouse: TestWarehouse;
let hook: Hook;
let clock: TestClock;
const logged: string[] = [];

beforeAll(async () => {
  warehouse = await openTestWarehouse();
  hook = await startHook();
});

afterAll(async () => {
  await hook[Symbol.asyncDispose]();
  await warehouse[Symbol.asyncDispose]();
});

beforeEach(async () => {
  await warehouse.db.execute(sql`DELETE FROM tested.alerts`);
  clock = testClock(START);
  hook.requests.length = 0;
  hook.answer = () => 200;
  logged.length = 0;
});

function context(given: Partial<DeliveryContext> = {}): DeliveryContext {
  const log = (data: object, message: string) => void logged.push(`${message} ${JSON.stringify(data)}`);
  return {
    db: warehouse.db,
    logger: { debug: log, info: log, warn: log },
    now: clock.now,
    webhook: createWebhook({ url: hook.url, timeoutMs: 60_000 }),
    stopping: running,
    signal: running,
    ...given,
  };
}

async function raise(shopId: number, cause: string, text = `${cause} of ${shopId}`): Promise<void> {
  await warehouse.write((tx) => raiseAlerts(tx, [{ shopId, cause, text }], clock.now()));
}

async function recover(shopId: number, cause: string): Promise<void> {
  await warehouse.write((tx) => closeAlerts(tx, [{ shopId, cause }], clock.now()));
}

/** What the hook took: causes and events, in the order in which they came. */
const taken = () =>
  hook.requests
    .filter(({ status }) => status === 200)
    .map(({ body }) => `${String(body['shop'])} ${String(body['cause'])} ${String(body['event'])}`);

/** Delivers again and again, as a worker does. */
async function work(minutes: number, everyMinutes = 1): Promise<void> {
  for (let passed = 0; passed < minutes; passed += everyMinutes) {
    await deliverAlerts(context());
    clock.pass({ minutes: everyMinutes });
  }
}

test('a hook that answers 500 for an hour, then 200, gets every alert once and in order', async () => {
  const [one, two] = [await warehouse.newShop(), await warehouse.newShop()];
  const shopOf = new Map([
    [one, 'shop-1'],
    [two, 'shop-2'],
  ]);
  const sent: string[] = [];
  hook.answer = () => 500;
  for (let minute = 0; minute < 60; minute++) {
    const shop = minute % 2 === 0 ? one : two;
    const cause = ALERT_CAUSES[minute % ALERT_CAUSES.length] ?? 'failing';
    if (minute < 40) {
      await raise(shop, cause);
      if (!sent.includes(`${shopOf.get(shop)} ${cause} raised`))
        sent.push(`${shopOf.get(shop)} ${cause} raised`);
    }
    if (minute === 45) {
      await recover(one, 'failing');
      await recover(one, 'credentials');
    }
    await work(1);
  }
  expect(taken()).toEqual([]);
  expect(hook.requests, 'once a pass').toHaveLength(60);
  expect(new Set(hook.requests.map(({ body }) => body['id'])).size, 'the first holds up the others').toBe(1);

  hook.answer = () => 200;
  await work(16);
  expect(taken()).toEqual([...sent, 'shop-1 credentials recovered', 'shop-1 failing recovered']);
  expect(new Set(hook.requests.map(({ body }) => body['id'])).size).toBe(sent.length + 2);
  const before = hook.requests.length;
  await work(30, 5);
  expect(hook.requests).toHaveLength(before);
});

test('an alert is open once per shop and cause until it recovers; one message reports the recovery', async () => {
  const shop = await warehouse.newShop();
  for (let times = 0; times < 3; times++) {
    await raise(shop, 'failing');
    await work(1);
  }
  await recover(shop, 'failing');
  await recover(shop, 'failing');
  await work(1);
  await recover(shop, 'failing');
  await raise(shop, 'failing');
  await work(1);
  expect(taken().map((text) => text.split(' ').slice(1).join(' '))).toEqual([
    'failing raised',
    'failing recovered',
    'failing raised',
  ]);
  expect(hook.requests[1]?.body.text).toMatch(/is swept without failures again, 3 min after the alert\.$/);
});

test('a recovery is sent after its alert, however late that was delivered, and a new alert in between is another one', async () => {
  const shop = await warehouse.newShop();
  await raise(shop, 'failing');
  hook.answer = () => 500;
  await work(60);
  await recover(shop, 'failing');
  await work(1);
  await raise(shop, 'failing');
  hook.answer = () => 200;
  await work(1);
  expect(taken().map((text) => text.split(' ')[2])).toEqual(['raised', 'recovered', 'raised']);
});

test('a message that the hook refuses is logged, not sent again, and holds up no other', async () => {
  const shop = await warehouse.newShop();
  hook.answer = ({ body }) => (body === 'poison' ? 400 : 200);
  await raise(shop, 'failing', 'poison');
  await raise(shop, 'stale', 'harmless');
  await work(1);
  await raise(shop, 'failing', 'poison');
  await work(4);
  expect(hook.taken()).toEqual(['harmless']);
  expect(hook.requests.filter(({ status }) => status === 400)).toHaveLength(1);
  expect(logged.filter((line) => line.startsWith('alert not delivered'))).toEqual([
    expect.stringContaining('HTTP 400; check ALERT_WEBHOOK_URL'),
  ]);
  await recover(shop, 'failing');
  await work(1);
  expect(hook.taken()).toEqual(['harmless', expect.stringContaining('without failures again')]);
});

test('two workers at once send each message once and in order', async () => {
  await using other = await openDatabase(warehouse.url);
  const shops = await Promise.all(Array.from({ length: 4 }, () => warehouse.newShop()));
  const sent: string[] = [];
  for (const shop of shops) {
    for (const cause of ALERT_CAUSES) {
      await raise(shop, cause);
      sent.push(`${cause} of ${shop}`);
      clock.pass({ seconds: 1 });
    }
  }
  let [inFlight, most] = [0, 0];
  hook.answer = async () => {
    most = Math.max(most, ++inFlight);
    await new Promise((resolve) => setImmediate(resolve));
    inFlight--;
    return 200;
  };
  for (let passes = 0; hook.requests.length < sent.length && passes < 100; passes++) {
    await Promise.all([deliverAlerts(context()), deliverAlerts(context({ db: other.db }))]);
  }
  await Promise.all([deliverAlerts(context()), deliverAlerts(context({ db: other.db }))]);
  expect(hook.taken()).toEqual(sent);
  expect(most).toBe(1);
});

test('a worker that dies between the answer and the commit leaves the message to the next one, with the same id', async () => {
  const dying = await openDatabase(warehouse.url, 1, 'dying');
  const shop = await warehouse.newShop();
  await raise(shop, 'failing');
  await raise(shop, 'stale');
  hook.answer = async () => {
    await warehouse.db.execute(sql`
      SELECT pg_terminate_backend(pid, 20000) FROM pg_stat_activity WHERE application_name LIKE 'dying%' AND datname = current_database()`);
    return 200;
  };
  await expect(deliverAlerts(context({ db: dying.db }))).rejects.toThrow(/Failed query|terminat/);
  await dying[Symbol.asyncDispose]();
  hook.answer = () => 200;
  await work(1);
  expect(taken().map((text) => text.split(' ')[1])).toEqual(['failing', 'failing', 'stale']);
  const keys = hook.requests.map(({ headers }) => headers['idempotency-key']);
  expect(keys[0]).toBe(keys[1]);
  expect(keys[2]).not.toBe(keys[1]);
});

test('a worker that stops begins no message; one cut off is sent again', async () => {
  const shop = await warehouse.newShop();
  await raise(shop, 'failing');
  await deliverAlerts(context({ stopping: AbortSignal.abort() }));
  expect(hook.requests).toHaveLength(0);
  const cut = new AbortController();
  hook.answer = () => {
    cut.abort();
    return 200;
  };
  await processAlerts(context({ signal: cut.signal }));
  hook.answer = () => 200;
  expect(await alerts(shop)).toMatchObject([{ is_told: false }]);
  await work(1);
  expect(taken().length).toBeGreaterThan(0);
  expect(logged.filter((line) => line.startsWith('alerts not sent'))).toEqual([]);
});

test('what is logged names the shop and the status, never the address', async () => {
  const shop = await warehouse.newShop();
  hook.answer = () => 503;
  await raise(shop, 'failing');
  await work(1);
  hook.answer = () => 200;
  await work(1);
  expect(logged.map((line) => line.split(' {')[0])).toEqual(['alert not delivered', 'alert delivered']);
  expect(logged[0]).toContain('HTTP 503');
  expect(logged.join()).not.toMatch(/hook-secret|127\.0\.0\.1/);
});

test('closed alerts are kept for 90 days, open ones for good', async () => {
  const shop = await warehouse.newShop();
  await raise(shop, 'failing');
  await raise(shop, 'stale');
  clock.pass({ hours: 48 });
  await recover(shop, 'failing');
  const prune = () => warehouse.write((tx) => pruneAlerts(tx, clock.now()));
  clock.pass({ hours: 90 * 24 - 1 });
  await prune();
  expect(await alerts(shop)).toHaveLength(2);
  clock.pass({ hours: 2 });
  await prune();
  expect(await alerts(shop)).toMatchObject([{ cause: 'stale' }]);
});

async function alerts(shopId: number) {
  return warehouse.rows(sql`
    SELECT cause, told_at IS NOT NULL AS is_told FROM tested.alerts
    WHERE shop_id = ${shopId} ORDER BY alert_id`);
}
