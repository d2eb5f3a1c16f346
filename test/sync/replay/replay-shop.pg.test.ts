import { afterAll, afterEach, expect, test, vi } from 'vitest';
import type * as linesOf from '../../../src/normalize/lines.ts';
import type * as orders from '../../../src/normalize/order.ts';
import type * as users from '../../../src/normalize/user.ts';

import { NORMALIZER_VERSION } from '../../../src/normalize/normalizer-version.ts';
import { PLAIN, WEIRD } from '../../../src/simulator/shop/dialect.ts';
import { coreVersions } from '../../support/truth.ts';
import { OPEN, openReplayLab, STOPPED, writtenBy } from './replay-lab.ts';

/** What another version makes of a record, from what the present one makes of it. */
type Other<Given extends unknown[], Read> = ((read: Read, ...given: Given) => Read) | undefined;
type OtherOf<Normalize extends (...given: never[]) => unknown> = Other<
  Parameters<Normalize>,
  ReturnType<Normalize>
>;
// A file before this one in the same process may have loaded the program without the mocks.
vi.hoisted(() => vi.resetModules());
const { other, through } = vi.hoisted(() => ({
  other: {} as {
    order?: OtherOf<typeof orders.normalizeOrder>;
    lines?: OtherOf<typeof linesOf.normalizeLines>;
    user?: OtherOf<typeof users.normalizeUser>;
  },
  through:
    <Given extends unknown[], Read>(present: (...given: Given) => Read, find: () => Other<Given, Read>) =>
    (...given: Given) => {
      const read = present(...given);
      return find()?.(read, ...given) ?? read;
    },
}));
vi.mock('../../../src/normalize/order.ts', async (load) => {
  const real = await load<typeof orders>();
  return { ...real, normalizeOrder: through(real.normalizeOrder, () => other.order) };
});
vi.mock('../../../src/normalize/lines.ts', async (load) => {
  const real = await load<typeof linesOf>();
  return { ...real, normalizeLines: through(real.normalizeLines, () => other.lines) };
});
vi.mock('../../../src/normalize/user.ts', async (load) => {
  const real = await load<typeof users>();
  return { ...real, normalizeUser: through(real.normalizeUser, () => other.user) };
});

const plain = await openReplayLab(PLAIN);
const { client, ids, replay, rows, sweep } = plain;
afterAll(() => plain[Symbol.asyncDispose]());
/** Whatever a test made of it. */
afterEach(async () => {
  for (const name of ['order', 'lines', 'user'] as const) delete other[name];
  await plain.replay({ rekey: true });
});

test.for(['plainly', 'oddly'])(
  'a replay of a shop that speaks %s with the normalizer that made its rows changes nothing',
  async (speaks) => {
    await using odd = speaks === 'oddly' ? await openReplayLab(WEIRD) : undefined;
    const { client, replay, rows, simulator } = odd ?? plain;
    const has = async (condition: string) =>
      Number((await rows(`SELECT count(*) FROM tested.orders WHERE ${condition}`))[0]?.['count']);
    expect(await has('missing_since IS NOT NULL AND deleted_at IS NULL')).toBe(1);
    expect(await has('deleted_at IS NOT NULL')).toBe(1);
    expect(await has(`lines_state = 'failed'`)).toBe(1);
    const open = await rows(OPEN);
    expect(new Set(open.map((row) => row['resource']))).toEqual(
      new Set(['order', 'content', 'user', 'group']),
    );
    const [core, learned] = [await coreVersions(client), await rows(LEARNED)];

    expect(await rows(STATE)).toEqual([{ version: NORMALIZER_VERSION, position: null }]);
    const result = await replay();
    expect(result).toMatchObject({ status: 'ok', resumed_from: null });
    expect(result).toMatchObject({
      orders_added: 0,
      orders_changed: 0,
      lines_changed: 0,
      users_changed: 0,
      groups_changed: 0,
    });
    expect(result.records).toBeGreaterThan(20);
    const orders = await rows('SELECT count(*)::int AS orders_seen FROM tested.raw_orders');
    const runs = await rows('SELECT orders_seen FROM tested.runs ORDER BY started_at DESC LIMIT 1');
    expect(runs, 'users and groups are no orders').toEqual(orders);
    expect(await coreVersions(client)).toBe(core);
    expect(await rows(OPEN)).toEqual(open);
    expect(await rows(LEARNED)).toEqual(learned);
    expect(simulator.requests.counts()).toEqual({});
  },
);

const STATE = `
  SELECT normalizer_version AS version, (SELECT (data ->> 'version')::int FROM tested.due WHERE kind = 'replay') AS position
  FROM tested.shop_state`;
const LEARNED = `SELECT to_jsonb(s) - 'saved_at' AS state, u.* FROM tested.shop_state s LEFT JOIN tested.due u USING (shop_id)`;

const CURRENT = 'SELECT * FROM tested.order_history WHERE observed_until IS NULL AND order_id = ';

test('another normalizer rewrites and resolves exactly what it reads differently', async () => {
  const [priced = 0, , , , counted = 0] = ids;
  const [order] = await rows(`SELECT * FROM tested.orders WHERE order_id = ${priced}`);
  const [current] = await rows(CURRENT + priced);
  const open = await rows(OPEN);
  const user = (await rows('SELECT max(user_key) AS oid FROM tested.raw_users'))[0]?.['oid'];
  other.order = (read, sent) =>
    read.row && sent['summ'] === 'free'
      ? {
          ...read,
          row: { ...read.row, order_sum: '0.00' },
          rejections: read.rejections.filter(({ field }) => field !== 'summ'),
        }
      : read;
  other.lines = ({ rows, rejections }, orderId) => {
    const found = { quantity: '1.000', list_total: '7.00' };
    const read = rows.map((row) => (orderId === String(counted) ? { ...row, ...found } : row));
    return { rows: read, rejections: rejections.filter(({ field }) => field !== 'count') };
  };
  other.user = (read, oid) =>
    read.row && oid === user ? { ...read, row: { ...read.row, level: 99 } } : read;
  const written = await writtenBy(client, async () => {
    const result = await replay();
    expect(result).toMatchObject({ status: 'ok', orders_changed: 2 });
    expect(result).toMatchObject({
      rejections_new: 0,
      rejections_resolved: 2,
      rejections_open: open.length - 2,
    });
    expect(result).toMatchObject({
      orders_changed: 2,
      lines_changed: 1,
      users_changed: 1,
      groups_changed: 0,
    });
  });
  expect(written).toEqual({
    // Of the second one, only a sum of its lines.
    orders: [String(priced), String(counted)],
    order_lines: [`${counted} 1`],
    order_history: [`${priced} 1`],
    users: [user],
    user_groups: [],
  });
  // Neither a change in the shop nor an event: only what was read of it is another sum.
  expect(await rows(`SELECT * FROM tested.orders WHERE order_id = ${priced}`)).toEqual([
    { ...order, order_sum: '0.00', changed_at: expect.anything() },
  ]);
  expect(await rows(CURRENT + priced)).toEqual([{ ...current, order_sum: '0.00' }]);
  expect(await rows(`SELECT list_total FROM tested.orders WHERE order_id = ${counted}`)).toEqual([
    { list_total: '7.00' },
  ]);
  const resolved = new Set([`order ${priced} summ`, `content ${counted} count`]);
  const stillOpen = open.filter(
    ({ resource, source_key: key, field }) => !resolved.has([resource, key, field].join(' ')),
  );
  expect(await rows(OPEN)).toEqual(stillOpen);
});

test('a normalizer that understands less adds rejections and keeps loaded rows', async () => {
  other.order = () => ({
    row: undefined,
    person: undefined,
    rejections: [{ resource: 'order', sourceKey: null, field: null, reason: 'no', value: null }],
  });
  const written = await writtenBy(client, async () => {
    expect(await replay({ rekey: true })).toMatchObject({ status: 'partial' });
  });
  delete other.order;
  expect(new Set(Object.values(written).flat())).toEqual(new Set());
  expect(await replay()).toMatchObject({ status: 'ok', rejections_resolved: 20 });
});

test('if a replay moves an order to another day, neither day stays verified', async () => {
  const [moved] = await rows(
    `SELECT order_id, created_on::text AS day, (created_on + 1)::text AS next FROM tested.orders WHERE order_id = ${ids[5]}`,
  );
  const proven = `SELECT day::text FROM tested.days WHERE verified_at IS NOT NULL ORDER BY day`;
  const before = await rows(proven);
  other.order = (read) => {
    if (read.row === undefined || read.row.order_id !== moved?.['order_id']) return read;
    return { ...read, row: { ...read.row, created_on: String(moved?.['next']) } };
  };
  await replay();
  const after = await rows(proven);
  expect(before.length - after.length).toBe(2);
  expect(after.map(({ day }) => day)).not.toContain(moved?.['day']);
  expect(after.map(({ day }) => day)).not.toContain(moved?.['next']);
});

test('a replay does not resume one of another version', async () => {
  const whole = await replay();
  const stopAt = (version: number, isRekey = false) => client.query(STOPPED, [version, isRekey, 5]);
  await stopAt(NORMALIZER_VERSION + 1);
  expect(await replay()).toMatchObject({ resumed_from: null, records: whole.records });
  await stopAt(NORMALIZER_VERSION, true);
  expect(await replay(), 'nor one that was to make other keys').toMatchObject({ resumed_from: null });
  await stopAt(NORMALIZER_VERSION);
  const resumed = await replay();
  expect(resumed).toMatchObject({ resumed_from: { stage: 'users', records_done: 5 } });
  expect(resumed.records).toBe(whole.records - 20);
});

test('until a replay is complete, the shop keeps the normalizer version of its rows', async () => {
  const version = NORMALIZER_VERSION;
  await client.query('UPDATE tested.shop_state SET normalizer_version = $1', [version - 1]);
  other.user = () => {
    throw new Error('out of memory');
  };
  await expect(replay()).rejects.toThrow('out of memory');
  expect(await rows(STATE)).toEqual([{ version: version - 1, position: version }]);
  delete other.user;
  expect(await replay()).toMatchObject({
    status: 'ok',
    normalizer_version: version,
    resumed_from: { stage: 'orders' },
  });
  expect(await rows(STATE)).toEqual([{ version, position: null }]);
});

test('a replay loads an order of which only the answers are stored, with its lines if they are stored', async () => {
  const [bare = 0, stripped = 0] = ids.slice(12);
  await client.query(`DELETE FROM tested.orders WHERE order_id IN (${bare}, ${stripped})`);
  await client.query(`DELETE FROM tested.raw_order_contents WHERE order_id = ${bare}`);
  await client.query(
    `UPDATE tested.raw_order_contents SET fetched_at = '2026-03-09 08:00Z' WHERE order_id = ${stripped}`,
  );
  expect(await replay()).toMatchObject({ orders_added: 2, orders_changed: 0 });
  const held = `
    SELECT lines_state, lines_fetched_at IS NOT NULL AS is_fetched, first_seen_at < now() AS is_dated,
      fingerprint <> '' AS is_known,
      (SELECT count(*) > 0 FROM tested.order_lines l WHERE l.order_id = o.order_id) AS has_lines,
      (SELECT count(*)::int FROM tested.order_history h WHERE h.order_id = o.order_id AND h.is_initial) AS entries
    FROM tested.orders o WHERE order_id IN (${bare}, ${stripped}) ORDER BY order_id = ${stripped}`;
  const dated = { is_dated: true, is_known: true, entries: 1 };
  expect(await rows(held)).toEqual([
    { ...dated, lines_state: 'pending', is_fetched: false, has_lines: false },
    { ...dated, lines_state: 'ok', is_fetched: true, has_lines: true },
  ]);
  const fetched = `SELECT 1 FROM tested.orders WHERE order_id = ${stripped} AND lines_fetched_at = '2026-03-09 08:00Z'`;
  expect(await rows(fetched), 'not when the list was read').toHaveLength(1);
  await sweep();
  expect((await rows(held))[0]).toMatchObject({ lines_state: 'ok', has_lines: true });
});

test('a replay of an order without its person resolves its rejections once nothing in it is rejected', async () => {
  const [priced = 0] = ids;
  const open = async () => (await rows(OPEN)).filter(({ source_key: key }) => key === String(priced)).length;
  const found = await open();
  expect(found).toBeGreaterThan(0);
  // As if its person had been erased.
  await client.query(`UPDATE tested.orders SET fingerprint = 'e:as erased' WHERE order_id = ${priced}`);
  await replay({ rekey: true });
  expect(await open()).toBe(found);
  other.order = (read) => ({ ...read, rejections: [] });
  await replay();
  expect(await open()).toBe(0);
});

test('a replay resolves the rejections of a deleted group, but not those of contents that were removed', async () => {
  const groups = async () =>
    (await rows(OPEN)).flatMap((row) => (row['resource'] === 'group' ? [row['source_key']] : []));
  const [gone, ...others] = await groups();
  // The tree was read again since.
  await client.query(
    `UPDATE tested.raw_user_groups SET fetched_at = fetched_at - interval '1 day' WHERE group_oid = $1`,
    [gone],
  );
  await client.query(`UPDATE tested.user_groups SET deleted_at = '2026-01-02' WHERE group_oid = $1`, [gone]);
  await client.query('DELETE FROM tested.raw_order_contents WHERE order_id = $1', [ids[4]]);
  // And a user that the shop does not know any more.
  await client.query(
    `UPDATE tested.raw_users SET payload = NULL, http_status = 404 WHERE user_key = (
       SELECT min(user_key) FROM tested.raw_users)`,
  );
  expect(await replay()).toMatchObject({ rejections_new: 0, rejections_resolved: 1 });
  expect(await groups()).toEqual(others);
  const since = `SELECT group_oid FROM tested.user_groups WHERE deleted_at = '2026-01-02'`;
  expect(await rows(since), 'when it was deleted').toHaveLength(1);
  expect(others.length).toBeGreaterThan(0);
});
