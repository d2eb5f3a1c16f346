/** Persons are forgotten where payloads were removed, and where the erasure is interrupted. */
import { expect, test } from 'vitest';

import { phoneIdentifiers } from '../../../src/normalize/privacy/identifiers.ts';
import { startDatabaseProxy } from '../../support/database-proxy.ts';
import { dumpTables } from '../../support/dump.ts';
import { runInProcess } from '../../support/run-in-process.ts';
import { openForgetLab, readFigures, tracesIn } from '../forget/forget-lab.ts';

const DAY_MS = 86_400_000;
/** More than one statement removes. */
const OLD = 1_200;

test('a sync removes all payloads older than RAW_KEPT and no younger ones, and persons can be forgotten without them', async () => {
  const { client, clock, forget, person, rows, sweep } = await openForgetLab();
  const month = clock
    .now()
    .subtract({ hours: 24 * 30 })
    .toString();
  const payloads = async () => {
    const stored = ['orders', 'order_contents', 'users'].map(
      (name) => `SELECT fetched_at FROM tested.raw_${name}`,
    );
    const [counts] = await rows(
      `SELECT count(*) FILTER (WHERE fetched_at < $1)::int AS old, count(*) FILTER (WHERE fetched_at >= $1)::int AS young
       FROM (${stored.join(' UNION ALL ')}) r`,
      month,
    );
    return counts;
  };
  // Orders that a first load of years left behind: more of them than users.
  await client.query(
    `INSERT INTO tested.raw_orders (shop_id, order_id, payload, fetched_at)
     SELECT shop_id, n, '{}', '2020-01-01' FROM tested.shops, generate_series(1, ${OLD}) n`,
  );
  const { young } = await payloads();
  expect(await payloads()).toEqual({ old: OLD, young });
  await sweep({ kind: 'sync' });
  expect(await payloads()).toEqual({ old: OLD, young });
  await sweep({ kind: 'sync' }, { rawKeptMs: 30 * DAY_MS });
  expect(await payloads()).toEqual({ old: 0, young });

  // What was sent with the list rows and users, and what with the lines.
  const rests = async () => {
    const [counts] = await rows(`
      SELECT count(rest)::int AS sent, count(content_rest)::int AS lines FROM (
        SELECT rest, content_rest FROM tested.order_persons UNION ALL SELECT rest, NULL FROM tested.user_persons) p`);
    return counts;
  };
  await client.query(`UPDATE tested.order_persons SET content_rest = '{"note": "fragile"}'`);
  const { sent, lines } = await rests();
  expect(Math.min(sent, lines)).toBeGreaterThan(0);
  for (const table of ['orders', 'users'])
    await rows(`UPDATE tested.raw_${table} SET fetched_at = '2020-01-01'`);
  clock.pass({ hours: 2 });
  await sweep({ kind: 'sync' }, { rawKeptMs: 30 * DAY_MS });
  expect(await rests()).toEqual({ sent: 0, lines });
  const marts = await readFigures(client);
  await forget(phoneIdentifiers(person.phone));
  expect(tracesIn(await dumpTables(client), person.traces)).toEqual([]);
  expect(await readFigures(client)).toEqual(marts);
  expect(await sweep()).toMatchObject({ orders_changed: 0 });
  expect(tracesIn(await dumpTables(client), person.traces)).toEqual([]);
});

test('an interrupted erasure erases nothing, and repeated it erases everything', async () => {
  const { client, person, sweep, url } = await openForgetLab();
  const marts = await readFigures(client);
  const traces = async () => tracesIn(await dumpTables(client), person.traces);
  const forget = (at: string) =>
    runInProcess(['forget', '--shop', 'test', '--email', person.email], {
      DATABASE_URL: at,
      PII_SECRET: 'test',
    });
  await using proxy = await startDatabaseProxy(url);
  let cuts = 0;
  proxy.handle(async ({ text, before }, forward) => {
    if (text === 'commit' && before.some((earlier) => earlier.includes('INSERT INTO "ops"."erasures"'))) {
      cuts += 1;
      throw new Error('the connection is cut');
    }
    await forward();
  });
  for (const attempts of [1, 2]) {
    expect((await forget(proxy.url)).code).not.toBe(0);
    expect(cuts).toBe(attempts);
    expect(await traces()).toEqual(person.traces);
  }
  await sweep({ kind: 'sync' });
  expect(await traces()).toEqual(person.traces);
  expect((await forget(url)).code).toBe(0);
  expect(await traces()).toEqual([]);
  expect(await readFigures(client)).toEqual(marts);
});
