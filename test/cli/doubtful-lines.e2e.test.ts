/** A shop whose contents are wrong for a while: once it is sane again, `sync` alone makes every line right. */
import type { Client } from 'pg';
import { expect, test } from 'vitest';

import type { Dialect } from '../../src/simulator/shop/dialect.ts';
import type { Simulator } from '../../src/simulator/server.ts';
import { longTest } from '../support/long-test.ts';
import { everyday } from '../support/long.ts';
import { ORDERS, withShop, withShopOfCommands } from './doubtful-shop.ts';

/** So few that the others show how the shop counts. */
const EDITED = 6;

/** Orders get other lines: each has four from now on. */
function editLines({ shop }: Simulator, count: number): void {
  const all = shop.orders();
  const lines = all.flatMap((order) => order.lines);
  for (const [index, order] of all.slice(-count).entries()) {
    shop.editOrder(order.orderId, { lines: lines.slice(index, index + 4) });
  }
}

/** Lets the pauses between two requests for the same lines go by. */
const passTime = (client: Client, interval: string) =>
  client.query(`UPDATE tested.due SET due_at = due_at - $1::interval WHERE kind = 'lines'`, [interval]);

test.each(
  everyday<{ readonly name: string; readonly wrong: Partial<Dialect>; readonly right: Partial<Dialect> }>(
    [
      { name: 'cut to two lines', wrong: { contentLines: 2 }, right: { contentLines: 0 } },
      { name: 'from a cache', wrong: { contents: 'cached' }, right: { contents: 'fresh' } },
    ],
    'cut to two lines',
  ),
)('contents that are $name while orders come in are read again a minute later', async ({ wrong, right }) => {
  await withShop({}, async ({ simulator, client, run, asked, differ, doubtful }) => {
    expect(await run('backfill')).toMatchObject({ code: 0 });
    expect(await asked('sync')).toMatchObject({ code: 0, contents: 0 });
    simulator.shop.setDialect(wrong);
    editLines(simulator, EDITED);
    const cut = await asked('sync');
    expect(cut).toMatchObject({ document: { orders_changed: EDITED, orders_with_doubtful_lines: EDITED } });
    expect(cut.contents, 'each is asked for once more').toBe(2 * EDITED);
    expect(await doubtful()).toBe(EDITED);
    simulator.shop.setDialect(right);
    await passTime(client, '1 minute');
    expect(await asked('sync')).toMatchObject({
      contents: EDITED,
      document: { orders_with_doubtful_lines: 0 },
    });
    expect(await differ()).toEqual([]);
    expect(await asked('sync')).toMatchObject({ code: 0, contents: 0 });
  });
});

test('lines that were wrong before lines were checked are corrected by one sync', async () => {
  await withShop({}, async ({ client, run, asked, differ }) => {
    await run('backfill');
    await client.query(`
      DELETE FROM core.order_lines l USING (
        SELECT shop_id, order_id FROM tested.order_lines GROUP BY 1, 2 HAVING count(*) > 2 ORDER BY 2 LIMIT ${EDITED}) cut
      WHERE l.shop_id = cut.shop_id AND l.order_id = cut.order_id AND l.line_no > 2`);
    await client.query(`
      UPDATE tested.orders o SET lines_total = l.total FROM (
        SELECT order_id, sum(line_total) AS total FROM tested.order_lines GROUP BY 1) l WHERE l.order_id = o.order_id`);
    await client.query(`UPDATE tested.shop_state SET line_relations = '{}', line_relations_at = NULL`);
    expect(await asked('sync')).toMatchObject({ contents: EDITED, document: { orders_without_lines: 0 } });
    expect(await differ()).toEqual([]);
  });
});

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

type Learned = { line_relations: readonly string[] };

const FIGURES: readonly { readonly name: string; readonly dialect: Partial<Dialect> }[] = [
  { name: 'units', dialect: { counts: 'units', sums: 'none' } },
  { name: 'lines', dialect: { counts: 'lines', sums: 'none' } },
  { name: 'total', dialect: { counts: 'none', sums: 'total' } },
  { name: 'total+delivery', dialect: { counts: 'none', sums: 'total+delivery' } },
  { name: 'list', dialect: { counts: 'none', sums: 'list' } },
  { name: 'list+delivery', dialect: { counts: 'none', sums: 'list+delivery' } },
];

test.each(everyday(FIGURES, 'lines'))(
  'lines are checked against a shop that sends $name',
  async (figures) => {
    const { name, dialect } = figures;
    await withShop(dialect, async ({ simulator, client, run, asked, doubtful }) => {
      expect(await run('backfill')).toMatchObject({ code: 0 });
      const { rows } = await client.query<Learned>('SELECT line_relations FROM tested.shop_state');
      expect(rows[0]?.line_relations).toContain(name);
      expect(await doubtful()).toBe(0);
      simulator.shop.setDialect({ contentLines: 2 });
      editLines(simulator, EDITED);
      await run('sync');
      expect(await doubtful()).toBe(EDITED);
      simulator.shop.setDialect({ contentLines: 0 });
      await passTime(client, '1 minute');
      expect(await asked('sync')).toMatchObject({ contents: EDITED });
      expect(await doubtful()).toBe(0);
    });
  },
);

longTest(
  'a shop whose figures say nothing of its lines is asked for nothing more, and nothing is reported',
  async () => {
    await withShopOfCommands(
      { counts: 'none', sums: 'none' },
      async ({ simulator, run, asked, doubtful }) => {
        expect(await asked('backfill')).toMatchObject({ contents: ORDERS });
        simulator.shop.setDialect({ contentLines: 2 });
        editLines(simulator, EDITED);
        expect(await asked('sync')).toMatchObject({
          code: 0,
          contents: EDITED,
          document: { orders_without_lines: 0 },
        });
        expect(await asked('backfill', '--force')).toMatchObject({ contents: 0 });
        expect(await run('status')).toMatchObject({ document: { orders_with_doubtful_lines: 0 } });
        expect(await doubtful()).toBe(0);
      },
    );
  },
);

test('if an update of the shop changes what it counts, no order is fetched twice', async () => {
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
    const { rows } = await client.query<Learned>('SELECT line_relations FROM tested.shop_state');
    expect(rows[0]?.line_relations).toEqual(expect.arrayContaining(['units', 'total+delivery']));
    expect(rows[0]?.line_relations).not.toContain('lines');
    expect(await doubtful()).toBe(0);
  });
});

test('after an update that makes sums unrelated to lines, sums are not checked either', async () => {
  await withShop({}, async ({ simulator, client, run, asked }) => {
    await run('backfill');
    simulator.shop.setDialect({ sums: 'none' });
    expect(await asked('sync')).toMatchObject({ contents: ORDERS, document: { orders_without_lines: 0 } });
    const { rows } = await client.query<Learned>('SELECT line_relations FROM tested.shop_state');
    expect(rows).toContainEqual({ line_relations: ['units'] });
  });
});

test('an order whose count stays wrong is retried less and less often', async () => {
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
    await client.query(`UPDATE tested.due SET attempts = 15, due_at = now() WHERE kind = 'lines'`);
    for (const contents of [2, 0, 2]) {
      expect(await asked('sync'), 'once in four days').toMatchObject({ code: 0, contents });
      await passTime(client, '2 days');
    }
    expect(await asked('backfill', '--force'), 'for who asks for it').toMatchObject({ contents: 2 });
    expect(await asked('verify', '--repair')).toMatchObject({ code: 0, contents: 2 });
  });
});

test('a replay keeps the mark, and backfill --force and verify --repair read the lines again at once', async () => {
  await withShopOfCommands({}, async ({ simulator, run, asked, differ, doubtful }) => {
    await run('backfill');
    simulator.shop.setDialect({ contentLines: 2 });
    editLines(simulator, EDITED);
    await run('sync');
    for (let tries = 0; tries < 2; tries += 1) await run('sync');
    await run('replay', '--shop', 'default');
    expect(await doubtful()).toBe(EDITED);
    expect(await asked('sync'), 'later').toMatchObject({ contents: 0 });
    expect(await asked('backfill', '--force')).toMatchObject({ contents: EDITED });
    expect(await asked('sync'), 'still as wrong').toMatchObject({
      document: { orders_with_doubtful_lines: EDITED },
    });
    simulator.shop.setDialect({ contentLines: 0 });
    expect(await asked('verify', '--repair')).toMatchObject({ code: 0, contents: EDITED });
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
