/** A thousand persons in ten languages order, and type what they like into every field of the form. */
import type { Client } from 'pg';
import { expect, test } from 'vitest';

import { HIDDEN_CODE } from '../../../src/model/status-codes.ts';
import type { Simulator } from '../../../src/simulator/server.ts';
import type { OrderChange } from '../../../src/simulator/shop/sim-order.ts';
import type { ShopSettings } from '../../../src/sync/run/context.ts';
import type { SweepRequest } from '../../../src/sync/sweep/sweep-request.ts';
import { changeCode } from '../../../src/warehouse/directory/owner-codes.ts';
import { FRAGMENTS, type Person, PERSONS } from '../../bi/persons.ts';
import { dumpTables, readMarts } from '../../support/dump.ts';
import { findTexts } from '../../support/find-texts.ts';
import { openOwnShop, untilTestEnds } from '../../support/shop.ts';
import { showFields } from '../../support/show-fields.ts';
import { type Opened, openWarehouse, sweepOnce, testedShopId, withoutGroups } from '../../support/sweep.ts';

const SAVING: Partial<ShopSettings> = { pseudonymize: { keptFields: ['source'] } };
const FORCED: SweepRequest = { kind: 'backfill', force: true };
/** Counted in both, but of fields that pseudonymizing does not keep; their rows of kept ones are compared apart. */
const OF_FIELDS = ['order_fields', 'sales_by_field'];

function filledIn(person: Person, at: number): OrderChange {
  const field = (key: string, value: string, label = 'Поле') => ({ key, value, label });
  return {
    fio: person.name,
    email: person.email.replace(' [at] ', '@'),
    phone: at % 3 === 0 ? '' : person.phone,
    address: person.address,
    comment: person.wish,
    userUniqueKey: `key of ${person.last}`,
    fields: [
      field('source', at % 2 === 0 ? 'Instagram' : 'Ads', 'Source'),
      field('f1', person.name),
      field('f2', person.first),
      field('f3', person.born, `for ${person.last}`),
      field(person.name, person.phone, person.wish),
    ],
  };
}

/** Values where they do not belong: rejected, unknown, or of the wrong kind. */
function misplaced({ name, first, last, email, phone, address, wish }: Person, at: number) {
  const source = (value: string) => ({ source: { value, name: 'source', runame: last } });
  return [
    { summ: name, comment: `${wish}\0` },
    { weight: phone, fio: { first: name } },
    { note: { to: [name, { phone }] }, [name]: phone },
    { created: address, fields: `a:1:{${name}` },
    { status: { by: name }, delivery: `Courier for ${name}`, users: [name] },
    { status: name, pay_status: first, delivery: `bring ${last} the parcel, ${phone}` },
    { status: phone.slice(0, 20), color: first, pay_method: name, currency: 'EUR' },
    { status: wish.slice(0, 60), discount: last, hash: name, delivery: address, fields: source(name) },
    { pay_status: email.replace(' [at] ', '@'), delivery: wish, fields: source(phone.replaceAll(' ', '')) },
    { status: last, users: phone, pay_method: phone.replaceAll(' ', ''), color: email, fields: source(wish) },
  ][at % 10];
}

function fill({ shop }: Simulator): void {
  for (const [at, { orderId }] of shop.orders().entries()) {
    const person = PERSONS[at % PERSONS.length];
    if (person === undefined) throw new Error('there are persons');
    shop.editOrder(orderId, filledIn(person, at));
    if (at % 20 === 0) shop.setRaw(orderId, misplaced(person, at / 20));
    if (at % 50 === 7)
      shop.setRawContent(orderId, [{ oid: '1_a', name: 'Mug', engraving: person.name }, person.name]);
  }
}

/** What a dump holds of the persons who filled in the form, and of the registered users. */
function tracesIn(dump: string, { shop }: Simulator): readonly string[] {
  const mails = PERSONS.map(({ email }) => email.replace(' [at] ', '@'));
  const users = shop
    .users()
    .flatMap(({ fio, email, phone, address, login }) => [fio, email, phone, address, login]);
  // Times of the warehouse itself end in such figures.
  const fragments = FRAGMENTS.filter((text) => !text.startsWith('.'));
  const sought = [...fragments, ...mails, ...users].filter((text) => text !== '');
  return findTexts(sought, dump);
}

/** Names among the misplaced values, which the plain mode stores in columns that staff fill. */
const STAFF_COLUMNS = ['delivery_name', 'color', 'pay_method', 'discount_raw'];

async function martsOf(client: Client) {
  const marts = Object.entries(
    await readMarts(client, [
      ...STAFF_COLUMNS,
      'order_discount',
      'other_amount',
      'changed_at',
      'added_at',
      'watched_since',
      'valid_from',
      'valid_until',
      'versions_since',
      // Only the plain mode stores the order's key, and so withholds a name in it.
      'withheld_texts',
    ]),
  );
  return Object.fromEntries(marts.filter(([name]) => !OF_FIELDS.includes(name)));
}

/** Tells which rows differ, of thousands. */
function expectSame(found: Awaited<ReturnType<typeof martsOf>>, wanted: typeof found): void {
  const [ours, theirs] = [rowsIn(found), rowsIn(wanted)];
  expect([...ours].filter((row) => !theirs.has(row))).toEqual([]);
  expect([...theirs].filter((row) => !ours.has(row))).toEqual([]);
  expect(found).toEqual(wanted);
}

const rowsIn = (marts: Awaited<ReturnType<typeof martsOf>>): ReadonlySet<string> =>
  new Set(Object.entries(marts).flatMap(([name, rows]) => rows.map((row) => `${name} ${row}`)));

async function keptFields(client: Client): Promise<unknown> {
  const sales = await client.query(
    `SELECT order_date, value, currency, sum(orders) AS orders, sum(revenue) AS revenue FROM tested.bi_sales_by_field
     WHERE field_key = 'source' AND value = ANY ($1) GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
    [['Ads', 'Instagram']],
  );
  const fields = await client.query(
    `SELECT order_id, value, is_hidden FROM tested.bi_order_fields
     WHERE field_key = 'source' AND value = ANY ($1) ORDER BY order_id`,
    [['Ads', 'Instagram']],
  );
  expect(fields.rows.length).toBeGreaterThan(150);
  return [sales.rows, fields.rows];
}

test('with pseudonymize, no table contains any of hundreds of persons, and the views of bi have the same figures', async () => {
  const { clock, simulator, ...kept } = await openOwnShop({ orders: 240, days: 16, seed: 5 });
  fill(simulator);
  const saved = untilTestEnds(await openWarehouse());
  const means = { now: clock.now, through: withoutGroups };
  const sweep = ({ db }: Opened, request: SweepRequest, given: Partial<ShopSettings> = {}) =>
    sweepOnce(simulator, db, request, { timezone: 'Europe/Moscow', ...given }, means);
  const compare = async () => {
    const dumps = [await dumpTables(kept.client), await dumpTables(saved.client)] as const;
    expect(tracesIn(dumps[0], simulator).length).toBeGreaterThan(300);
    expect(tracesIn(dumps[1], simulator)).toEqual([]);
    const marts = await martsOf(kept.client);
    expect(Object.values(marts).flat().length).toBeGreaterThan(900);
    expectSame(await martsOf(saved.client), marts);
    for (const { db } of [kept, saved]) await showFields(db, await testedShopId(db), 'source');
    expect(await keptFields(saved.client)).toEqual(await keptFields(kept.client));
    for (const { client } of [kept, saved]) await client.query('DELETE FROM tested.order_form_fields');
  };
  await sweep(kept, { kind: 'backfill' });
  await sweep(saved, { kind: 'backfill' }, SAVING);

  clock.pass({ minutes: 10 });
  const ids = simulator.shop.orders().map(({ orderId }) => orderId);
  for (const [at, orderId] of ids.slice(-30).entries()) {
    simulator.shop.editOrder(orderId, { status: 'C', comment: PERSONS[at]?.wish ?? '' });
  }
  for (const [at, person] of PERSONS.slice(0, 20).entries()) {
    const { orderId } = simulator.shop.insertOrder(filledIn(person, at));
    if (at % 2 === 0) simulator.shop.setRaw(orderId, misplaced(person, at));
  }
  await sweep(kept, { kind: 'sync' });
  await sweep(saved, { kind: 'sync' }, SAVING);
  await compare();

  simulator.requests.reset();
  const quiet = await sweep(saved, FORCED, SAVING);
  expect(quiet).toMatchObject({ orders_changed: 0, content_requests: 0 });
});

test('switching pseudonymize on removes stored persons; after switching it off, a warning names the backfill that restores them', async () => {
  const made = { orders: 100, days: 10, seed: 6 };
  const { client, clock, rows, simulator, ...ground } = await openOwnShop(made);
  fill(simulator);
  const sweep = async (request: SweepRequest, given: Partial<ShopSettings> = {}) => {
    clock.pass({ minutes: 10 });
    return ground.sweep(request, given);
  };
  await sweep({ kind: 'backfill' });
  const [whole, marts] = [await dumpTables(client), await martsOf(client)];
  const traces = tracesIn(whole, simulator);
  // As RAW_KEPT leaves it.
  await client.query('DELETE FROM tested.raw_orders WHERE order_id % 2 = 0');
  await client.query('DELETE FROM tested.raw_order_contents WHERE order_id % 4 = 0');

  await client.query(`UPDATE tested.user_persons SET content = content || '{"source": "Ads"}'`);
  const on = await sweep({ kind: 'sync' }, SAVING);
  expect(on).toMatchObject({ orders_changed: 0, content_requests: 0 });
  expect(on.warnings).toEqual([]);
  expect(tracesIn(await dumpTables(client), simulator)).toEqual([]);
  expectSame(await martsOf(client), marts);
  const readProfiles = () => rows('SELECT DISTINCT content FROM tested.user_persons');
  expect(await readProfiles()).toEqual([{ content: { source: 'Ads' } }]);

  // What is kept no longer is removed as well.
  const countSources = async () => {
    const sources = `SELECT FROM tested.order_persons WHERE fields #>> '{source,value}' IN ('Ads', 'Instagram')`;
    return (await rows(sources)).length;
  };
  expect(await countSources()).toBeGreaterThan(50);
  // One that the owner hides is none that the owner shows.
  await client.query(
    `INSERT INTO tested.order_form_fields (shop_id, field_key, is_shown) SELECT shop_id, 'source', false FROM tested.shops`,
  );
  await sweep({ kind: 'sync' }, { pseudonymize: { keptFields: [] } });
  expect(await countSources()).toBe(0);
  await client.query('DELETE FROM tested.order_form_fields');
  expect(await readProfiles()).toEqual([]);

  const first = Temporal.PlainDate.from('2026-03-01');
  const last = Temporal.PlainDate.from('2026-03-10');
  for (const part of [
    { kind: 'sync', to: first },
    { kind: 'backfill' },
    { kind: 'backfill', force: true, from: last },
    { kind: 'backfill', force: true, to: first },
  ] as const) {
    simulator.requests.reset();
    const off = await sweep(part);
    const isForced = 'force' in part;
    if (!isForced) expect(simulator.requests.count('users'), 'nobody is asked for again').toBe(0);
    expect(off.warnings).toEqual([expect.stringContaining('run order-sync backfill --force --shop')]);
  }
  // A user whom the shop did not have then.
  await client.query(`UPDATE tested.users SET fetch_state = 'not_found' WHERE fetch_state = 'ok'`);
  await client.query('DELETE FROM tested.user_persons');
  const back = await sweep(FORCED);
  expect(back.warnings).toEqual([]);
  expect(tracesIn(await dumpTables(client), simulator)).toEqual(traces);
  expectSame(await martsOf(client), marts);
  expect((await sweep({ kind: 'sync' })).warnings).toEqual([]);
});

test("a status that the owner classified is not taken for a person's name", async () => {
  const { db, rows, shop, sweep } = await openOwnShop({ orders: 6, days: 2, seed: 5 });
  const [own = 0, other = 0] = shop.orders().map(({ orderId }) => orderId);
  const named = { fio: 'Anna Petrova' };
  shop.setRaw(own, { ...named, fio: 'Ivan', status: 'for Anna Petrova' });
  shop.setRaw(other, { fio: 'Ivan Petrov', status: 'for Ivan Petrov' });
  await sweep();
  expect(
    await changeCode(db, await testedShopId(db), 'order', 'for Anna Petrova', { stage: 'fulfilment' }),
  ).toBe('for Anna Petrova');
  shop.setRaw(own, { ...named, status: 'for Anna Petrova' });
  await sweep(FORCED, SAVING);
  const codes = await rows('SELECT status_code AS code FROM tested.orders WHERE order_id = ANY ($1)', [
    own,
    other,
  ]);
  expect(new Set(codes.map(({ code }) => code))).toEqual(new Set(['for Anna Petrova', HIDDEN_CODE]));
});
