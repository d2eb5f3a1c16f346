/** A warehouse with something of everything that a replay must keep, and replays of it. */
import type { Client } from 'pg';

import { contentLines } from '../../../src/shop-api/endpoints/order-content.ts';
import type { ShopApi } from '../../../src/shop-api/shop-api.ts';
import type { Dialect } from '../../../src/simulator/shop/dialect.ts';
import { type ReplayRequest, replayShop } from '../../../src/sync/replay/replay-shop.ts';
import { FORCED, openGround } from '../../support/shop.ts';
import { storedRun } from '../../support/stored-run.ts';
import { OF_TEST_SHOP, openWarehouse } from '../../support/sweep.ts';

/**
 * The orders 0 to 4 have odd rows or lines, 5 to 7 have changed, 8 is missing, 9 deleted, the lines of 10 could not be had
 * again, and those of 11 come in no order. Users and groups have odd fields too.
 */
export async function openReplayLab(dialect: Partial<Dialect>) {
  const ground = await openGround({ orders: 20, days: 4, seed: 4, dialect }, openWarehouse);
  const { clock, db, shop, simulator } = ground;
  const ids = shop.orders().map(({ orderId }) => orderId);
  const id = (index: number) => ids[index] ?? 0;
  const odd = { unordered: String(id(11)), failing: '' };
  const through = (api: ShopApi) => withOddities(api, odd);
  const sweep = () => ground.sweep(FORCED, {}, { through, refreshesSummaries: true });
  shop.setRaw(id(0), { summ: 'free', delivery_id: '12345678901234567890', weight: '12\0' });
  shop.setRaw(id(1), { comment: 'before\0after', fio: '\uFDD0 \uFDD00 \ud800' });
  shop.setRaw(id(2), { status: 'X7', pay_status: 'ZZ' });
  shop.setRaw(id(3), { fields: 'a:1:{s:1:"k";s:3:"a\0b";}' });
  shop.setRawContent(id(4), [{ oid: '1_a', count: 'many', price: '5', total: '1e400' }, 'not a line']);
  await sweep();
  clock.pass({ minutes: 10 });
  for (const index of [5, 6, 7])
    shop.editOrder(id(index), { status: index === 5 ? 'C' : 'O', sumCents: 100 * index });
  shop.deleteOrder(id(9));
  await sweep();
  clock.pass({ minutes: 10 });
  shop.deleteOrder(id(8));
  shop.editOrder(id(10), { sumCents: 1 });
  odd.failing = String(id(10));
  await sweep();
  clock.pass({ minutes: 10 });
  simulator.requests.reset();
  const replay = async (request?: ReplayRequest, guestSecret = 'test') => {
    const { context, shopId } = await storedRun(db, { guestSecret, now: clock.now });
    return replayShop(context, shopId, request);
  };
  /** Orders by their place in time, whatever became of them. */
  return { ...ground, ids, sweep, replay };
}

type Odd = { readonly unordered: string; readonly failing: string };

/**
 * An order with its lines as an object, whose order does not outlast being stored; and users and groups that are odd.
 */
function withOddities(api: ShopApi, odd: Odd): ShopApi {
  return {
    ...api,
    async orderContent(orderId, signal) {
      if (orderId === odd.failing) return { kind: 'gone' };
      if (orderId !== odd.unordered) return api.orderContent(orderId, signal);
      const raw = {
        ordercontent: { zz: { oid: '1_a' }, b: { oid: '2_b' }, aa: { oid: '3_c' }, 7: { oid: '4_d' } },
      };
      return { kind: 'found', raw, lines: contentLines(raw) ?? [] };
    },
    async userResponse(key, signal) {
      const reply = await api.userResponse(key, signal);
      const { found } = reply;
      return { ...reply, found: found && { ...found, raw: { ...found.raw, created: 'once\0' } } };
    },
    async groups(query, signal) {
      // The whole tree would take more requests than all else.
      const groups = query.parentOid === '0' ? await api.groups(query, signal) : [];
      return groups.map((group) =>
        group.groupOid === undefined ? group : { ...group, raw: { ...group.raw, sort: 'first' } },
      );
    },
  };
}

/** The version of every row of a table, by its key: another one when the row was written, even with equal values. */
async function versionsOf(client: Client, table: string): Promise<ReadonlyMap<string, string>> {
  const { rows } = await client.query<{ key: string; version: string }>(
    `SELECT concat_ws(' ', ${KEYS[table]}) AS key, xmin || ' ' || ctid AS version FROM core.${table} WHERE ${OF_TEST_SHOP}`,
  );
  return new Map(rows.map(({ key, version }) => [key, version]));
}

const KEYS: Readonly<Record<string, string>> = {
  orders: 'order_id',
  order_lines: 'order_id, line_no',
  order_history: 'order_id, seq',
  users: 'user_oid',
  user_groups: 'group_oid',
};

/** The keys of rows that were written in between, table by table. */
export async function writtenBy(
  client: Client,
  work: () => Promise<unknown>,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const tables = Object.keys(KEYS);
  const before: ReadonlyMap<string, string>[] = [];
  for (const table of tables) before.push(await versionsOf(client, table));
  await work();
  const written: [string, readonly string[]][] = [];
  for (const [index, table] of tables.entries()) {
    const after = await versionsOf(client, table);
    const keys = [...after]
      .filter(([key, version]) => before[index]?.get(key) !== version)
      .map(([key]) => key);
    written.push([table, keys.toSorted()]);
  }
  return Object.fromEntries(written);
}

export const OPEN = `
  SELECT resource, source_key, field, reason, value FROM tested.rejections WHERE resolved_at IS NULL ORDER BY 1, 2, 3, 4`;

/** An unfinished replay, of which so many records are done. */
export const STOPPED = `
  INSERT INTO ops.due (shop_id, kind, key, due_at, data)
  SELECT shop_id, 'replay', '', now(), jsonb_build_object('version', $1::int, 'rekey', $2::boolean, 'stage', 'users', 'after', NULL, 'done', $3::int)
  FROM tested.shop_state`;
