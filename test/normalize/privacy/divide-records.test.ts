/** An order in two parts: together they are what was sent, and the first names no person. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { JsonObject, JsonValue } from '../../../src/model/json.ts';
import { DOCUMENTED_FIELDS, ORDER_FIELDS, PERSON_FIELDS } from '../../../src/normalize/order-fields.ts';
import { normalizeOrder } from '../../../src/normalize/order.ts';
import { divide as divideRecord, joinOrder, ORDER } from '../../../src/normalize/privacy/records.ts';
import type { Rejection } from '../../../src/normalize/rejection.ts';
import * as all from '../hostile/fields.ts';
import { TIMEZONE } from '../hostile/good-values.ts';
import { PERSON, PERSONAL } from '../hostile/personal.ts';
import { samples } from '../hostile/samples.ts';
import { IS_LONG } from '../../support/long.ts';

const RUNS = IS_LONG ? 20_000 : 400;
const context = { timezone: TIMEZONE, guestSecret: 'a key' };

const divide = (sent: JsonObject) => {
  const { row, person, rejections } = normalizeOrder(sent, context);
  return (
    row && { person, rejections, ...divideRecord(ORDER, sent, { row, person, rejections }, () => false) }
  );
};

/** Fields that could not be read at all: their columns are empty. */
function unreadable(rejections: readonly Rejection[], row: object): readonly string[] {
  return rejections.flatMap(({ field }) => {
    const columns = ORDER_FIELDS.get(field ?? '') ?? [];
    const isEmpty = columns.every((column) => [null, ''].includes(Reflect.get(row, column)));
    return field !== null && ORDER_FIELDS.has(field) && isEmpty ? [field] : [];
  });
}

/** Checks each of many orders that can be divided. @returns how many those are */
function eachOrder(
  check: (divided: NonNullable<ReturnType<typeof divide>>, sent: JsonObject) => void,
): number {
  let orders = 0;
  const property = fc.property(samples(all.ORDER_FIELDS), ({ payload }) => {
    const divided = divide(payload);
    if (divided === undefined) return;
    check(divided, payload);
    orders += 1;
  });
  fc.assert(property, { numRuns: RUNS });
  return orders;
}

describe('an order', () => {
  test('in two parts, joined again, makes the same row, person and rejections, whatever was sent', () => {
    const tally = { withRest: 0, withoutRest: 0 };
    const orders = eachOrder((divided) => {
      const { row, person, rejections, known, rest } = divided;
      const joined = joinOrder(known, person, rest);
      expect(normalizeOrder(joined, context)).toEqual({ row, person, rejections });
      // And so again and again.
      expect(divide(joined)).toEqual(divided);
      tally[rest === null ? 'withoutRest' : 'withRest'] += 1;
    });
    expect(orders).toBeGreaterThan(RUNS / 2);
    expect(tally.withRest).toBeGreaterThan(RUNS / 10);
    expect(tally.withoutRest).toBeGreaterThan(RUNS / 100);
  });

  test('has in the known part the fields of its table alone, none of which could not be read', () => {
    eachOrder(({ row, rejections, known, rest }, payload) => {
      const strangers = Object.keys(known).filter((name) => !ORDER_FIELDS.has(name));
      expect(strangers).toEqual([]);
      for (const name of unreadable(rejections, row)) {
        expect(known[name], name).toEqual({});
        expect(rest?.[name], name).toEqual(payload[name]);
      }
      // Without its person it is the same order, but for whose it is.
      const { row: again } = normalizeOrder(known, context);
      expect({ ...again, customer_key: row.customer_key }).toEqual(row);
    });
  });

  test('keeps with its person every key and value as it was sent, but for what is a column of the person', () => {
    eachOrder(({ known, rest }, payload) => {
      const together = new Set([...Object.keys(known), ...Object.keys(rest ?? {})]);
      const lost = Object.keys(payload).filter(
        (name) => !together.has(name) && !PERSON_FIELDS.has(name) && payload[name] !== null,
      );
      expect(lost).toEqual([]);
      for (const [name, value] of Object.entries(rest ?? {})) expect(value, name).toBe(payload[name]);
    });
  });

  test('has no person in the known part that stands where a figure belongs, in an unknown field, or in a key', () => {
    // Texts that staff write are searched for persons afterwards.
    const codes = ['color', 'currency', 'delivery', 'discount', 'hash', 'pay_method', 'pay_status', 'status'];
    const fields = fc.constantFrom(
      ...[...DOCUMENTED_FIELDS].filter((name) => name !== 'order_id' && !codes.includes(name)),
      'note',
      PERSON,
    );
    const property = fc.property(
      samples(all.ORDER_FIELDS),
      fc.array(fc.tuple(fields, fc.constantFrom(...PERSONAL)), { minLength: 1, maxLength: 5 }),
      ({ payload }, personal) => {
        const divided = divide({ ...payload, ...Object.fromEntries(personal), order_id: 1 });
        expect(JSON.stringify(divided?.known)).not.toContain('Petrov');
      },
    );
    fc.assert(property, { numRuns: RUNS });
  });

  test.each<[string, JsonValue]>([
    ['a bare value', 'tea'],
    ['nothing', null],
    ['a value alone', { value: 'tea' }],
    ['a name alone', { value: 'tea', name: 'n' }],
    ['a label alone', { value: 'tea', runame: 'Tea?' }],
    ['a value that looks described', { value: { value: 'tea', runame: 'Tea?' } }],
    ['an object', { to: ['Ivan'] }],
  ])('with %s in an extra field has it again when it is joined', (_name, entry) => {
    for (const fields of [{ note: entry }, [entry], JSON.stringify({ note: entry })]) {
      const divided = divide({ order_id: 1, fields });
      const again = divided && divide(joinOrder(divided.known, divided.person, divided.rest));
      expect(again?.person.fields).toEqual(divided?.person.fields);
      expect(divided?.known).toEqual({ order_id: 1 });
    }
  });

  test.each<[string, JsonObject]>([
    ['keys that become equal', { '\ud800': 1, '\udc00': 2 }],
    ['a text with a NUL', { note: ['a\0b'] }],
  ])('keeps extra fields as they were sent where their column would change %s', (_name, fields) => {
    expect(divide({ order_id: 1, fields })?.rest).toEqual({ fields });
    const inText = JSON.stringify(fields);
    expect(divide({ order_id: 1, fields: inText })?.rest).toEqual({ fields: inText });
  });

  test('is divided by what its fields hold', () => {
    const [known, kept] = [
      { order_id: '17', master_oid: '6', paid: '10.00' },
      {
        phone: 79_165_551_234,
        email: { text: 'x' },
        summ: 'Baker Lane 1',
        status: { to: 'Ivan' },
        users: [{ id: 1 }],
        user_unique_key: 'abc',
      },
    ];
    const fields = '{"f1":{"value":"Ivan","name":"f1","runame":"Name"}}';
    const divided = divide({ ...known, ...kept, fio: 'Ivan Petrov', comment: ' ', note: null, fields });
    expect(divided).toMatchObject({
      known: { ...known, summ: {}, status: {} },
      person: { buyer_name: 'Ivan Petrov', fields: { f1: { value: 'Ivan', name: 'f1', label: 'Name' } } },
      rest: kept,
    });
    expect(Object.keys(divided?.known ?? {})).toHaveLength(5);
    expect(Object.keys(divided?.rest ?? {})).toHaveLength(6);
    expect(divide({ order_id: 1, summ: '5' })?.rest).toBeNull();
  });
});
