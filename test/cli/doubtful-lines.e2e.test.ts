/** A shop whose contents are wrong for a while: once it is sane again, `sync` alone makes every line right. */
import type { Client } from 'pg';
import { expect, test } from 'vitest';

import type { Dialect } from '../../src/simulator/shop/dialect.ts';
import type { Simulator } from '../../src/simulator/server.ts';
import { longTest } from '../support/long-test.ts';
import { everyday } from '../support/long.ts';
import { ORDERS, type Shop, withShop, withShopOfCommands } from './doubtful-shop.ts';

/** Orders get other lines: the first three have four from now on. */
function editLines({ shop }: Simulator, count: number): void {
  const all = shop.orders();
  const lines = all.flatMap((order) => order.lines);
  for (const [index, order] of all.slice(-count).entries()) {
    shop.editOrder(order.orderId, { lines: lines.slice(index, index + 4) });
  }
}

test('contents cut to two lines while orders come in are read again by the next sync after that', async () => {
  await withShop({}, async ({ simulator, run, asked, differ, doubtful }) => {
    expect(await run('backfill')).toMatchObject({ code: 0 });
    expect(await asked('sync')).toMatchObject({ code: 0, contents: 0 });
    simulator.shop.setDialect({ contentLines: 2 });
    editLines(simulator, 12);
    const cut = await asked('sync');
    expect(cut).toMatchObject({ document: { orders_changed: 12, orders_with_doubtful_lines: 12 } });
    expect(cut.contents, 'each is asked for once more').toBe(24);
    expect(await doubtful()).toBe(12);
    simulator.shop.setDialect({ contentLines: 0 });
    expect(await asked('sync')).toMatchObject({ contents: 12, document: { orders_with_doubtful_lines: 0 } });
    expect(await differ()).toEqual([]);
    expect(await asked('sync')).toMatchObject({ code: 0, contents: 0 });
  });
});

test('a whole history that was loaded with cut contents is read again where lines are missing', async () => {
  // More than two samples.
  const orders = 150;
  const load = async ({ simulator, run, asked, differ, doubtful }: Shop) => {
    await run('backfill');
    const cut = simulator.shop.orders().filter(({ lines }) => lines.length > 2).length;
    expect(cut).toBeGreaterThan(40);
    expect(await doubtful()).toBe(cut);
    const again = await asked('sync');
    expect(again.contents, 'a sample, as long as nothing is better').toBeLessThanOrEqual(20);
    simulator.shop.setDialect({ contentLines: 0 });
    expect(await asked('sync')).toMatchObject({
      contents: cut,
      document: { orders_with_doubtful_lines: 0 },
    });
    expect(await differ()).toEqual([]);
  };
  await withShop({ contentLines: 2 }, load, orders);
});

test('a warehouse whose lines have been wrong since before they were compared is made right by one sync', async () => {
  await withShop({ contentLines: 2 }, async ({ simulator, client, run, asked, differ }) => {
    await run('backfill');
    await client.query(`UPDATE tested.orders SET lines_state = 'ok', lines_attempts = 0`);
    await client.query(`UPDATE tested.shop_state SET line_relations = '{}', line_relations_at = NULL`);
    // More than are compared at once, all of them right, come before those.
    await client.query(COPIES);
    simulator.shop.setDialect({ contentLines: 0 });
    const cut = simulator.shop.orders().filter(({ lines }) => lines.length > 2).length;
    expect(await asked('sync')).toMatchObject({ contents: cut, document: { orders_without_lines: 0 } });
    await client.query('DELETE FROM tested.orders WHERE order_id <= 2000');
    await client.query('DELETE FROM tested.order_lines WHERE order_id <= 2000');
    expect(await differ()).toEqual([]);
  });
});

/** Of an order that has two lines. */
const COPIES = `
  WITH copied AS (
    SELECT o.* FROM tested.orders o WHERE (SELECT count(*) FROM tested.order_lines l WHERE l.order_id = o.order_id) = 2
    ORDER BY order_id LIMIT 1),
  lines AS (
    INSERT INTO core.order_lines
    SELECT r.* FROM tested.order_lines l JOIN copied USING (order_id), generate_series(1, 2000) id,
      jsonb_populate_record(NULL::core.order_lines, to_jsonb(l) || jsonb_build_object('order_id', id)) r)
  INSERT INTO core.orders
  SELECT r.* FROM copied o, generate_series(1, 2000) id,
    jsonb_populate_record(NULL::core.orders, to_jsonb(o) || jsonb_build_object('order_id', id)) r`;

longTest(
  'contents cut to one line, from which nothing can be learned, are read again when new orders show how the shop counts',
  async () => {
    await withShop({ contentLines: 1 }, async ({ simulator, run, differ, doubtful }) => {
      await run('backfill');
      expect(await doubtful()).toBe(0);
      simulator.shop.setDialect({ contentLines: 0 });
      simulator.shop.tick(undefined, { newOrders: 400, edits: 0 });
      expect(await run('sync')).toMatchObject({ code: 0, document: { orders_without_lines: 0 } });
      expect(await differ()).toEqual([]);
    });
  },
);

longTest('few contradictions at a time, of an update that counts otherwise, are soon forgotten', async () => {
  await withShop({ counts: 'lines' }, async ({ simulator, client, run, asked, doubtful }) => {
    await run('backfill');
    const changed = simulator.shop.orders().filter(({ lines, itemCount }) => lines.length !== itemCount);
    let requests = 0;
    for (const [index, { orderId, itemCount }] of changed.slice(0, 40).entries()) {
      simulator.shop.setRaw(orderId, { count: itemCount, updated: '2026-01-01 00:00:00' });
      if (index % 5 === 4) requests += (await asked('sync')).contents;
    }
    expect(await doubtful()).toBe(0);
    expect(requests - 40, 'for nothing').toBeLessThanOrEqual(60);
    const { rows } = await client.query('SELECT line_relations FROM tested.shop_state');
    expect(rows).toContainEqual({ line_relations: ['total+delivery'] });
  });
});

longTest('contents from a cache, older than the list, are read again once they are fresh', async () => {
  await withShop({}, async ({ simulator, run, asked, differ, doubtful }) => {
    await run('backfill');
    simulator.shop.setDialect({ contents: 'cached' });
    editLines(simulator, 12);
    expect(await asked('sync')).toMatchObject({ contents: 24 });
    expect(await doubtful()).toBe(12);
    simulator.shop.setDialect({ contents: 'fresh' });
    expect(await asked('sync')).toMatchObject({ contents: 12 });
    expect(await differ()).toEqual([]);
  });
});

const FIGURES: readonly { readonly name: string; readonly dialect: Partial<Dialect> }[] = [
  { name: 'units', dialect: { counts: 'units', sums: 'none' } },
  { name: 'lines', dialect: { counts: 'lines', sums: 'none' } },
  { name: 'total', dialect: { counts: 'none', sums: 'total' } },
  { name: 'total+delivery', dialect: { counts: 'none', sums: 'total+delivery' } },
  { name: 'list', dialect: { counts: 'none', sums: 'list' } },
  { name: 'list+delivery', dialect: { counts: 'none', sums: 'list+delivery' } },
];

test.each(everyday(FIGURES, 'lines'))('a shop that tells $name is held to that', async (figures) => {
  const { name, dialect } = figures;
  await withShop(dialect, async ({ simulator, client, run, asked, doubtful }) => {
    expect(await run('backfill')).toMatchObject({ code: 0 });
    const { rows } = await client.query('SELECT line_relations FROM tested.shop_state');
    expect(rows).toContainEqual({ line_relations: [name] });
    expect(await doubtful()).toBe(0);
    simulator.shop.setDialect({ contentLines: 2 });
    editLines(simulator, 12);
    await run('sync');
    expect(await doubtful()).toBe(12);
    simulator.shop.setDialect({ contentLines: 0 });
    expect(await asked('sync')).toMatchObject({ contents: 12 });
    expect(await doubtful()).toBe(0);
  });
});

longTest(
  'a shop whose figures say nothing of its lines is asked for nothing more, and nothing is reported',
  async () => {
    await withShopOfCommands(
      { counts: 'none', sums: 'none' },
      async ({ simulator, run, asked, doubtful }) => {
        expect(await asked('backfill')).toMatchObject({ contents: ORDERS });
        simulator.shop.setDialect({ contentLines: 2 });
        editLines(simulator, 12);
        expect(await asked('sync')).toMatchObject({
          code: 0,
          contents: 12,
          document: { orders_without_lines: 0 },
        });
        expect(await asked('backfill', '--force')).toMatchObject({ contents: 0 });
        expect(await run('status')).toMatchObject({ document: { orders_with_doubtful_lines: 0 } });
        expect(await doubtful()).toBe(0);
      },
    );
  },
);

test('an update of the shop that changes what it counts makes no order fetched twice', async () => {
  await withShop({ counts: 'lines' }, async ({ simulator, client, run, asked, doubtful }) => {
    await run('backfill');
    simulator.shop.setDialect({ counts: 'units' });
    const changed = simulator.shop.orders().filter(({ lines, itemCount }) => lines.length !== itemCount);
    expect(changed.length).toBeGreaterThan(20);
    expect(await asked('sync')).toMatchObject({
      contents: changed.length,
      document: { orders_without_lines: 0 },
    });
    expect(await asked('sync')).toMatchObject({ contents: 0 });
    const { rows } = await client.query('SELECT line_relations FROM tested.shop_state');
    expect(rows).toContainEqual({ line_relations: ['units', 'total+delivery'] });
    expect(await doubtful()).toBe(0);
  });
});

test('an update after which the sum has nothing to do with the lines is not enforced either', async () => {
  await withShop({}, async ({ simulator, client, run, asked }) => {
    await run('backfill');
    simulator.shop.setDialect({ sums: 'none' });
    expect(await asked('sync')).toMatchObject({ contents: ORDERS, document: { orders_without_lines: 0 } });
    const { rows } = await client.query('SELECT line_relations FROM tested.shop_state');
    expect(rows).toContainEqual({ line_relations: ['units'] });
  });
});

/** Lets the pauses between two requests for the same lines go by. */
const passTime = (client: Client, interval: string) =>
  client.query(
    `UPDATE tested.orders SET lines_fetched_at = lines_fetched_at - $1::interval WHERE lines_state = 'doubtful'`,
    [interval],
  );

test('an order whose count is wrong for good is asked for less and less often', async () => {
  await withShopOfCommands({}, async ({ simulator, client, run, asked, doubtful }) => {
    const edited = simulator.shop.orders().slice(-2);
    for (const { orderId } of edited) simulator.shop.editOrder(orderId, { itemCount: 77 });
    const first = await asked('backfill');
    expect(first).toMatchObject({ code: 0, document: { orders_with_doubtful_lines: 2 } });
    expect(first.contents).toBeLessThanOrEqual(ORDERS + 4);
    expect(await doubtful()).toBe(2);
    const { document } = await run('status');
    expect(document).toMatchObject({ orders_without_lines: 2, orders_with_doubtful_lines: 2 });
    for (const pause of [1, 2]) {
      expect(await asked('sync'), `within ${pause} min`).toMatchObject({ contents: 0 });
      await passTime(client, `${pause} minutes`);
      expect(await asked('sync'), `after ${pause} min`).toMatchObject({ contents: 2 });
    }
    await client.query(`UPDATE tested.orders SET lines_attempts = 15 WHERE lines_state = 'doubtful'`);
    for (const contents of [0, 2]) {
      await passTime(client, '3 days');
      expect(await asked('sync'), 'once in six days').toMatchObject({ code: 0, contents });
    }
    await passTime(client, '1000 days');
    expect(await asked('sync'), 'with the lines of open orders').toMatchObject({ contents: 2 });
    expect(await asked('sync'), 'as seldom as before').toMatchObject({ contents: 0 });
    expect(await asked('backfill', '--force'), 'for who asks for it').toMatchObject({ contents: 2 });
    expect(await asked('verify', '--repair')).toMatchObject({ code: 0, contents: 2 });
  });
});

test('a replay keeps the mark, and force and repair read again at once', async () => {
  await withShopOfCommands({}, async ({ simulator, run, asked, differ, doubtful }) => {
    await run('backfill');
    simulator.shop.setDialect({ contentLines: 2 });
    editLines(simulator, 12);
    await run('sync');
    for (let tries = 0; tries < 2; tries += 1) await run('sync');
    await run('replay', '--shop', 'default');
    expect(await doubtful()).toBe(12);
    expect(await asked('sync'), 'later').toMatchObject({ contents: 0 });
    expect(await asked('backfill', '--force')).toMatchObject({ contents: 12 });
    expect(await asked('sync'), 'still as wrong').toMatchObject({
      document: { orders_with_doubtful_lines: 12 },
    });
    simulator.shop.setDialect({ contentLines: 0 });
    expect(await asked('verify', '--repair')).toMatchObject({ code: 0, contents: 12 });
    expect(await differ()).toEqual([]);
    expect(await doubtful()).toBe(0);
  });
});

test('verify --lines reads all contents, says which lines differ, and --repair makes them right', async () => {
  await withShopOfCommands({ counts: 'none', sums: 'none' }, async ({ simulator, run, asked, differ }) => {
    await run('backfill');
    simulator.shop.setDialect({ contentLines: 1, counts: 'none', sums: 'none' });
    editLines(simulator, 3);
    await run('sync');
    simulator.shop.setDialect({ contentLines: 0 });
    expect(await asked('verify')).toMatchObject({ code: 0, contents: 0 });
    const found = await asked('verify', '--lines');
    expect(found).toMatchObject({ code: 4, contents: ORDERS, document: { is_equal: false, status: 'ok' } });
    expect(found.document['differences']).toHaveLength(3);
    expect(found.document['differences']).toMatchObject([{ kind: 'lines differ' }, {}, {}]);
    expect(await asked('verify', '--lines', '--repair')).toMatchObject({ code: 0, contents: ORDERS + 3 });
    expect(await asked('verify', '--lines')).toMatchObject({ code: 0, document: { is_equal: true } });
    simulator.shop.refuse('order', simulator.shop.orders()[0]?.orderId);
    expect(await run('verify', '--lines')).toMatchObject({
      code: 3,
      document: { problems: ['the lines of 1 order could not be read'] },
    });
    expect(await differ()).not.toContain('is lost');
  });
});
