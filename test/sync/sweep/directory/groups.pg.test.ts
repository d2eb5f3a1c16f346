import type { Client } from 'pg';
import { expect, test } from 'vitest';

import { TerminalError, TransientError } from '../../../../src/model/errors.ts';
import type { ShopApi } from '../../../../src/shop-api/shop-api.ts';
import { openShop } from '../../../support/shop.ts';
import { OF_TEST_SHOP } from '../../../support/sweep.ts';

/** The groups below each one. */
type Tree = Readonly<Record<string, readonly string[]>>;
const TREE: Tree = { 0: ['1', '2'], 1: ['11', '12'] };
const DAY_MS = 86_400_000;

async function groups(client: Client): Promise<Readonly<Record<string, boolean>>> {
  const { rows } = await client.query<{ oid: string; is_live: boolean }>(
    `SELECT group_oid::text AS oid, deleted_at IS NULL AS is_live FROM core.user_groups WHERE ${OF_TEST_SHOP}
     ORDER BY group_oid`,
  );
  return Object.fromEntries(rows.map(({ oid, is_live }) => [oid, is_live]));
}

test('groups are marked as deleted only by a tree that was read whole, once a day, and a change is a run', async () => {
  const { client, clock, sweep } = await openShop({ orders: 3, days: 1, seed: 3 });
  let [tree, asked] = [TREE, 0];
  let failing: Error | undefined;
  let unreadable: string | undefined;
  const through = (api: ShopApi): ShopApi => ({
    ...api,
    async groups({ parentOid = '0', start = 0 }) {
      asked += 1;
      if (parentOid === '1' && failing !== undefined) throw failing;
      const oids = start > 0 ? [] : (tree[parentOid] ?? []);
      return oids.map((groupOid) => ({
        groupOid,
        raw: { oid: groupOid === unreadable ? 'none' : groupOid, parent_oid: parentOid, name: groupOid },
      }));
    },
  });
  /** @returns whether the tree was requested */
  const sync = async (after: Temporal.DurationLike) => {
    clock.pass(after);
    const before = asked;
    const settings = { groupsMaxAgeMs: DAY_MS };
    const { status } = await sweep({ kind: 'sync' }, settings, { through });
    return `${status}, ${asked > before ? 'asked' : 'not asked'}`;
  };
  const runs = async () => (await client.query(`SELECT FROM ops.runs WHERE ${OF_TEST_SHOP}`)).rowCount;
  const all = { 1: true, 2: true, 11: true, 12: true };
  expect(await sync({ hours: 0 })).toBe('ok, asked');
  expect(await groups(client)).toEqual(all);
  expect(await sync({ hours: 23, minutes: 59 })).toBe('ok, not asked');
  expect(await sync({ minutes: 1 })).toBe('ok, asked');

  tree = { 0: ['1'] };
  failing = new TransientError('reset');
  expect(await sync({ hours: 24 })).toBe('partial, asked');
  expect(await groups(client)).toEqual(all);
  failing = new TerminalError('no', { status: 403, scope: 'record' });
  expect(await sync({ minutes: 1 }), 'after a passing fault at once').toBe('partial, asked');
  expect(await groups(client)).toEqual(all);
  expect(await sync({ minutes: 1 }), 'after a refusal a day later').toBe('ok, not asked');
  [tree, failing] = [{}, undefined];
  expect(await sync({ hours: 24 })).toBe('partial, asked');
  expect(await groups(client)).toEqual(all);

  // A group that is its own grandparent is read once.
  tree = { 0: ['1'], 1: ['11'], 11: ['1'] };
  expect(await sync({ hours: 24 })).toBe('ok, asked');
  expect(await groups(client)).toEqual({ ...all, 2: false, 12: false });
  const before = await runs();
  tree = { 0: ['1'] };
  expect(await sync({ hours: 24 })).toBe('ok, asked');
  expect(await groups(client)).toEqual({ 1: true, 2: false, 11: false, 12: false });
  expect(await runs()).toBe((before ?? 0) + 1);
  expect(await sync({ hours: 24 })).toBe('ok, asked');
  expect(await runs()).toBe((before ?? 0) + 1);

  unreadable = '1';
  expect(await sync({ hours: 24 })).toBe('partial, asked');
  expect(await groups(client), 'it is listed all the same').toMatchObject({ 1: true });
});

test('a tree is read by pages as short as the shop makes them, and what the time budget cuts off stays', async () => {
  const { client, clock, sweep } = await openShop({ orders: 3, days: 1, seed: 3 });
  const tree: Tree = { 0: ['1', '2', '3', '4', '5'], 1: ['11', '12', '13'] };
  let asked = 0;
  const through = (api: ShopApi): ShopApi => ({
    ...api,
    groups({ parentOid = '0', start = 0 }) {
      asked += 1;
      const oids = (tree[parentOid] ?? []).slice(start, start + 2);
      const page = oids.map((oid) => ({ groupOid: oid, raw: { oid, parent_oid: parentOid, name: oid } }));
      return Promise.resolve(page);
    },
  });
  const sync = (mustEnd?: () => boolean) => {
    const request = { kind: 'sync', ...(mustEnd && { mustEnd }) } as const;
    return sweep(request, { groupsMaxAgeMs: DAY_MS }, { through });
  };
  expect(await sync()).toMatchObject({ status: 'ok' });
  const all = { 1: true, 2: true, 3: true, 4: true, 5: true, 11: true, 12: true, 13: true };
  expect(await groups(client)).toEqual(all);
  clock.pass({ hours: 24 });
  const before = asked;
  const { status, problems } = await sync(() => asked > before);
  expect({ status, problems }).toEqual({
    status: 'partial',
    problems: ['the group tree could not be read completely within the time budget'],
  });
  expect(await groups(client)).toEqual(all);
});

test('a tree is read down to fifty levels and some thousand groups; an endless one ends there, and deletes nothing', async () => {
  const { client, clock, sweep } = await openShop({ orders: 3, days: 1, seed: 3 });
  let [levels, width, asked] = [49, 1, 0];
  const through = (api: ShopApi): ShopApi => ({
    ...api,
    groups({ parentOid = '0', start = 0 }) {
      asked += 1;
      const level = Number(parentOid);
      // All lie side by side at the top, where there are many, and otherwise one below the other.
      const count = width > 1 ? (level === 0 ? width : 0) : Number(level < levels);
      const oids = Array.from({ length: count }, (_, at) => String(level + 1 + at)).slice(start, start + 100);
      return Promise.resolve(oids.map((oid) => ({ groupOid: oid, raw: { oid, parent_oid: parentOid } })));
    },
  });
  const sync = async () => {
    clock.pass({ hours: 24 });
    asked = 0;
    const settings = { groupsMaxAgeMs: DAY_MS };
    const { problems } = await sweep({ kind: 'sync' }, settings, { through });
    return { problems, live: Object.values(await groups(client)).filter(Boolean).length };
  };
  expect(await sync()).toEqual({ problems: [], live: 49 });
  levels = 1_000;
  expect(await sync()).toEqual({ problems: ['the group tree is deeper than 50 levels'], live: 50 });
  // A page may be as long as the shop makes any, so that each level is asked for a second one.
  expect(asked).toBe(100);
  levels = 1;
  width = 6_000;
  const { problems } = await sync();
  expect(problems).toEqual(['the group tree holds more than 5000 groups']);
  expect(asked).toBe(51);
});
