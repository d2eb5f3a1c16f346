import { sql } from 'drizzle-orm';
import { expect } from 'vitest';

import { startSimulator } from '../../../../src/simulator/server.ts';
import { emptyDatabase } from '../../../support/database.ts';
import { test } from '../../../support/fixtures.ts';
import { jsonLines } from '../../../support/json-lines.ts';
import { runInProcess as run } from '../../../support/run-in-process.ts';
import { sweepOnce, withoutGroups } from '../../../support/sweep.ts';

test('rejections are listed by field and reason, without personal data, with the next steps', async ({
  own: { client, db, url },
}) => {
  const env = { DATABASE_URL: url };
  await using empty = await emptyDatabase();
  const none = await run(['rejections'], { DATABASE_URL: empty.url });
  expect(none).toMatchObject({ code: 0, stdout: expect.stringContaining('There are no open rejections') });
  await using simulator = await startSimulator({ orders: 8, days: 2, seed: 8 });
  const { shop } = simulator;
  const ids = shop.orders().map(({ orderId }) => orderId);
  const [first = 0, second = 0, named = 0, gone = 0] = ids;
  for (const id of [first, second, gone]) shop.setRaw(id, { summ: 'free' });
  shop.setRaw(ids[4] ?? 0, { status: 'X7' });
  shop.setRaw(named, { fio: 'Anna\0Weber' });
  await sweepOnce(simulator, db, undefined, {}, { through: withoutGroups });
  shop.setRaw(second, undefined);
  await sweepOnce(simulator, db, { kind: 'backfill', force: true }, {}, { through: withoutGroups });
  await client.query(`UPDATE tested.orders SET deleted_at = now() WHERE order_id = ${gone}`);
  await client.query(`UPDATE tested.shop_state SET normalizer_version = 0`);

  const listed = await run(['rejections', '--shop', 'test'], env);
  expect(listed, listed.stderr).toMatchObject({ code: 0 });
  const rows = listed.stdout.split('\n').filter((line) => line.startsWith('test '));
  expect(rows).toEqual([
    expect.stringMatching(
      new RegExp(`^test +order +fio +1 +1 .* order ${named}: text of 9 characters, Latin$`),
    ),
    expect.stringMatching(
      new RegExp(
        `^test +order +summ +1 .* not an amount of money +order ${first}: text of 4 characters, Latin$`,
      ),
    ),
  ]);
  const all = await run(['rejections', '--all', '--shop', 'test'], env);
  expect(all.stdout).toMatch(
    /^test +order +summ +1 +2 +3 .*not an amount of money +order \d+: text of 4 characters, Latin$/m,
  );
  expect(all.stdout).toMatch(/order-sync\s+replay/);
  expect(all.stdout).not.toMatch(/Anna|Weber/);

  const [report] = jsonLines((await run(['status', '--json'], env)).stdout);
  expect(report).toMatchObject({
    // As the last run left it, when no order was deleted.
    open_rejections: 3,
    normalizer_version: 0,
    is_replay_due: true,
    unclassified_statuses: [{ kind: 'order', code: 'X7', orders: 1 }],
  });
  const due =
    /To do: This version of order-sync reads more of the stored answers than the one that loaded them. Run `order-sync replay --shop test`/;
  const { stdout } = await run(['status'], env);
  expect(stdout).toMatch(due);
  expect(stdout).toMatch(
    /To do: Unknown status codes: “X7” \(1 order\)[.] Their orders do not count as sales until you say what/,
  );
  expect(await run(['replay', '--shop', 'test'], { ...env, PII_SECRET: 'test' })).toMatchObject({ code: 0 });
  expect((await run(['status'], env)).stdout).not.toMatch(due);
  const unknown = await run(['replay', '--shop', 'other'], env);
  expect(unknown).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('the warehouse has bystander, test'),
  });
  const replayed = await run(['replay', '--shop', 'test'], { ...env, PII_SECRET: 'test' });
  expect(replayed.stdout, replayed.stderr).toMatch(
    /Rejections: \d+ resolved, 0 new, \d+ open; `order-sync rejections --shop test` lists them\./,
  );
});

test('a record is named by its number alone: a login or an address may be a person', async ({
  warehouse,
}) => {
  const shopId = await warehouse.newShop();
  const keys = ['anna@mail.example', 'anna', '12345678901234567890', '42'];
  for (const [index, key] of keys.entries()) {
    await warehouse.rows(sql`
      INSERT INTO ops.rejections (shop_id, resource, field, source_key, reason, digest)
      VALUES (${shopId}, 'user', ${`field ${index}`}, ${key}, 'bad', ${key})`);
  }
  await warehouse.rows(sql`
    INSERT INTO ops.rejections (shop_id, resource, source_key, reason, digest, first_seen_at, last_seen_at)
    VALUES (${shopId}, 'content', '77', 'whole', 'w', '2026-03-01T10:20:30Z', '2026-03-02T11:22:33Z')`);
  const env = { DATABASE_URL: warehouse.url };
  const { stdout } = await run(['rejections', '--shop', 'shop-1'], env);
  expect(stdout).toContain('user 42: nothing');
  expect(stdout).toMatch(
    /^shop-1 +content +\(whole record\) +1 +1 +2026-03-01 10:20 +2026-03-02 11:22 +whole +order 77: nothing$/m,
  );
  expect(stdout).not.toMatch(/anna|1234567890/);
});
