/** A stored order loses its person in the same way as one that is loaded without. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import type { Cleared } from '../../../src/model/persons.ts';
import type { JsonObject, JsonValue } from '../../../src/model/json.ts';
import { hashIdentifier, type Identifier } from '../../../src/normalize/privacy/identifiers.ts';
import { codeKey, keepAll, Privacy } from '../../../src/normalize/privacy/privacy.ts';
import { hideInColumns } from '../../../src/normalize/privacy/strip-records.ts';
import { hiddenCodes, stripStored } from '../../../src/sync/run/strip-stored.ts';
import {
  parseStoredPerson,
  type StoredPerson,
  toPersonToKeep,
} from '../../../src/warehouse/orders/order-persons.ts';
import type { TypedOrder } from '../../../src/warehouse/orders/strip-orders.ts';
import { ORDER_FIELDS } from '../../normalize/hostile/fields.ts';
import { TIMEZONE } from '../../normalize/hostile/good-values.ts';
import { samples } from '../../normalize/hostile/samples.ts';
import { IS_LONG } from '../../support/long.ts';

const RUNS = IS_LONG ? 20_000 : 120;
const secret = 'a key';
const shop = { timezone: TIMEZONE };
const EMAIL: Identifier = { kind: 'email', value: 'ivan@mail.example' };

const make = (isPseudonymizing: boolean, ...erased: readonly Identifier[]) =>
  new Privacy({
    secret,
    shop,
    isPseudonymizing,
    erased: new Set(erased.map((identifier) => hashIdentifier(secret, identifier))),
    keptFields: new Set(['n', 'время', 'note']),
    knownCodes: new Set([codeKey('status_code', 'for Ivan'), codeKey('pay_status_code', 'HP')]),
  });
const whole = keepAll(secret, shop);

const TYPED = [
  ...(['color', 'currency', 'pay_method', 'discount_raw', 'delivery_name', 'order_hash'] as const),
  ...(['status_code', 'pay_status_code'] as const),
];

/** Where people type. */
const PLACES =
  'fio email phone comment address name login status pay_status color currency pay_method discount delivery hash fields note master_oid'.split(
    ' ',
  );
/** A name, a contact, or something that looks as it should. */
const TEXTS: readonly JsonValue[] = [
  'Ivan Petrov',
  'for Ivan',
  'Ivan',
  'ivan@mail.example',
  '8 916 555 12 34',
  '9165551234',
  'Courier',
  '10%',
  '10.0000000000000000000%',
  'card',
  'two words',
  'HP',
  'x'.repeat(65),
  'Анна',
  17,
  79_165_551_234,
  { note: { value: 'for Ivan', name: 'note' }, other: 'x' },
  { note: { value: 'ivan@mail.example', name: 'note', runame: 'tea' }, n: 'tea' },
  { 'ivan@mail.example': ['x'], note: 'tea' },
];
const typed = fc.array(fc.tuple(fc.constantFrom(...PLACES), fc.constantFrom(...TEXTS)), { maxLength: 8 });
const orders = fc.tuple(samples(ORDER_FIELDS), typed).map(([{ payload }, entries]): JsonObject => ({
  ...payload,
  ...Object.fromEntries(entries),
  order_id: '1',
}));

/** What is stored of an order, as the warehouse reads it. */
function store(sent: JsonObject) {
  const { row, payload, person } = whole.order(sent);
  if (row === undefined || person === null) throw new Error('an order that cannot be stored');
  const columns = Object.fromEntries(TYPED.map((column) => [column, row[column]])) as TypedOrder['columns'];
  const order: TypedOrder = {
    orderId: row.order_id,
    buyerOid: row.buyer_oid,
    fingerprint: whole.fingerprint(sent),
    columns,
    formerCodes: { status_code: [], pay_status_code: [] },
    person: parseStoredPerson(JSON.stringify({ ...person, content_rest: null })),
  };
  return { row, payload, order };
}

/** As `writeStripped` does it: a percentage goes with the text that told it. */
function written(row: { readonly discount_raw: string | null }, columns: TypedOrder['columns']) {
  const isGone = columns.discount_raw === null && row.discount_raw !== null;
  return { ...row, ...columns, ...(isGone ? { discount_percent: null } : {}) };
}

test('of a stored order, as much is left as of the same order when it is loaded', () => {
  const privacy = make(true);
  const tally = { kept: 0, hidden: 0 };
  const property = fc.property(orders, (sent) => {
    const loaded = privacy.order(sent);
    const { row, payload, order } = store(sent);
    const stripped = stripStored(privacy, order);
    expect(written(row, stripped.columns)).toEqual(loaded.row);
    expect({ ...payload, ...stripped.fields }).toEqual(loaded.payload);
    expect(stripped.person).toEqual({ person: loaded.person, contentRest: null });
    tally.kept += Number(loaded.person !== null);
    tally.hidden += Number(Object.keys(stripped.fields).length > 0);
    // What was done once has nothing left to do.
    const again: TypedOrder = { ...order, columns: stripped.columns, person: null };
    expect(stripStored(privacy, again)).toMatchObject({ columns: stripped.columns, fields: {} });
  });
  fc.assert(property, { numRuns: RUNS });
  expect(Math.min(tally.kept, tally.hidden)).toBeGreaterThan(RUNS / 10);
});

test('of an erased person, as much is left of a stored order as of the same order when it is loaded', () => {
  const account: Identifier = { kind: 'user', value: '17' };
  const tally = { own: 0 };
  const property = fc.property(orders, fc.boolean(), (sent, isOfAccount) => {
    const privacy = make(false, EMAIL, account);
    const own = isOfAccount
      ? { ...sent, master_oid: '17' }
      : { ...sent, email: EMAIL.value, master_oid: '6' };
    const loaded = privacy.order(own);
    expect(loaded.isStripped).toBe(true);
    const { row, payload, order } = store(own);
    const standIn = isOfAccount ? privacy.erased.standIn('17') : undefined;
    const stripped = stripStored(privacy, order, standIn);
    const ofAccount = standIn === undefined ? {} : { buyer_oid: standIn, customer_key: `u:${standIn}` };
    expect({ ...written(row, stripped.columns), ...ofAccount }).toEqual(loaded.row);
    const master = standIn === undefined ? {} : { master_oid: standIn };
    expect({ ...payload, ...stripped.fields, ...master }).toEqual(loaded.payload);
    expect(stripped).toMatchObject({ standIn, person: { person: null, contentRest: null } });
    expect(loaded.person).toBeNull();
    tally.own += 1;
  });
  fc.assert(property, { numRuns: RUNS });
  expect(tally.own).toBe(RUNS);
});

test('somebody else who mentions an erased person keeps the same, stored or loaded', () => {
  const privacy = make(false, EMAIL);
  const isMention = (text: string) => privacy.erased.areIn(text);
  const tally = { mentions: 0 };
  const property = fc.property(orders, (sent) => {
    const other = { ...sent, email: 'anna@mail.example', phone: '', master_oid: '18' };
    const loaded = privacy.order(other);
    const { row, payload, order } = store(other);
    const { columns, fields } = hideInColumns(order.columns, isMention);
    expect({ ...written(row, { ...order.columns, ...columns }) }).toEqual(loaded.row);
    expect({ ...payload, ...fields }).toEqual(loaded.payload);
    const person = order.person && (privacy.withoutMentions(order.person) ?? order.person);
    expect(JSON.stringify([loaded.row, loaded.payload, loaded.person])).not.toContain(EMAIL.value);
    expect(JSON.stringify([columns, fields, person])).not.toContain(EMAIL.value);
    const typed = (of: object | null) => of && { ...of, rest: null };
    expect(typed(loaded.person)).toEqual(
      person && typed(toPersonToKeep(person as Cleared<StoredPerson>).person),
    );
    const text = JSON.stringify([row, payload, order.person]);
    tally.mentions += Number(text.includes(EMAIL.value));
  });
  fc.assert(property, { numRuns: RUNS });
  expect(tally.mentions).toBeGreaterThan(RUNS / 20);
});

test('codes of its past are hidden that the order would not keep either', () => {
  const privacy = make(true);
  const { order } = store({ order_id: '1', fio: 'Ivan Petrov', status: 'A' });
  const former = {
    status_code: ['A', 'for Ivan', 'two words', 'Ivan', '', '(hidden)'],
    pay_status_code: ['for Ivan', 'HP', 'petrov'],
  };
  expect(stripStored(privacy, { ...order, formerCodes: former }).hiddenCodes).toEqual({
    status_code: ['two words', 'Ivan'],
    pay_status_code: ['for Ivan', 'petrov'],
  });
  expect(hiddenCodes({ ...order, formerCodes: former }, () => ({}))).toEqual({
    status_code: [],
    pay_status_code: [],
  });
});
