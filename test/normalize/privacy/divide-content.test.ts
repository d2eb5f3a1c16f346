/** The answer for an order's lines in two parts: together they are what was sent, and the first names no person. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/model/json.ts';
import { LINE_FIELDS, normalizeLines } from '../../../src/normalize/lines.ts';
import { divideContent, joinContent } from '../../../src/normalize/privacy/records.ts';
import { contentLines } from '../../../src/shop-api/endpoints/order-content.ts';
import * as all from '../hostile/fields.ts';
import { PERSON, PERSONAL } from '../hostile/personal.ts';
import { samples } from '../hostile/samples.ts';
import { HOSTILE_VALUES } from '../hostile/values.ts';
import { IS_LONG } from '../../support/long.ts';

const RUNS = IS_LONG ? 20_000 : 400;

const divide = (answer: JsonObject) => {
  const lines = contentLines(answer);
  const { rows } = normalizeLines('1', lines ?? []);
  const { known, rest, rows: divided } = divideContent(answer, lines, rows, () => false);
  return { known, rest, rows: divided };
};

describe('the answer for the lines of an order', () => {
  const values = fc.constantFrom(...HOSTILE_VALUES);
  const line = samples(all.LINE_FIELDS).map(({ payload }) => payload);
  const element: fc.Arbitrary<JsonValue> = fc.oneof(
    { weight: 4, arbitrary: line },
    { weight: 1, arbitrary: values },
  );
  const list: fc.Arbitrary<JsonValue> = fc.array(element, { maxLength: 3 });
  const keys = fc.constantFrom('1', '10', '2_a', 'x', '__proto__', 'toString', '');
  const keyed = fc.array(fc.tuple(keys, element), { maxLength: 3 });
  const map: fc.Arbitrary<JsonValue> = keyed.map((entries) => Object.fromEntries(entries));
  const lines = fc.oneof(list, map, values);
  const others = fc.array(
    fc.tuple(fc.constantFrom('order_id', 'oid', 'success', 'buyer', '__proto__', PERSON), values),
    { maxLength: 4 },
  );
  const holder = (name: string) =>
    fc.tuple(lines, others).map(([found, more]): JsonObject => Object.fromEntries([...more, [name, found]]));
  const nested = fc
    .tuple(holder('ordercontent'), others)
    .map(([content, more]): JsonObject => Object.fromEntries([...more, ['content', content]]));
  const answers = fc.oneof(holder('ordercontent'), holder('content'), nested, others.map(Object.fromEntries));

  const read = (from: JsonObject) => normalizeLines('1', contentLines(from) ?? []);

  test('in two parts, joined again, has the same lines and the same of everything else', () => {
    const tally = { withRest: 0, lines: 0 };
    const property = fc.property(answers, (answer: JsonObject) => {
      const before = JSON.stringify(answer);
      const { known, rest, rows } = divide(answer);
      const joined = joinContent(known, rest);
      expect(JSON.stringify(answer)).toBe(before);
      expect(read(joined)).toEqual(read(answer));
      expect(rows).toEqual(read(answer).rows);
      // And so again and again.
      expect(divide(joined)).toEqual({ known, rest, rows });
      const { ordercontent: _lines, content: _content, ...others } = answer;
      expect(joined).toMatchObject(
        Object.fromEntries(Object.entries(others).filter(([, value]) => value !== null)),
      );
      tally.withRest += Number(rest !== null);
      tally.lines += read(answer).rows.length;
    });
    fc.assert(property, { numRuns: RUNS });
    expect(tally.withRest).toBeGreaterThan(RUNS / 4);
    expect(tally.lines).toBeGreaterThan(RUNS / 4);
  });

  test('has in the known part lines alone, with the fields of the catalogue and their figures as they were sent', () => {
    const property = fc.property(answers, (answer: JsonObject) => {
      const { known } = divide(answer);
      expect(Object.keys(known).filter((name) => name !== 'ordercontent')).toEqual([]);
      for (const one of Object.values(known.ordercontent ?? {})) {
        const fields = isJsonObject(one) ? Object.keys(one) : [];
        expect(isJsonObject(one) || one === null).toBe(true);
        expect(fields.filter((name) => !LINE_FIELDS.has(name))).toEqual([]);
      }
      const { rows, rejections } = read(answer);
      // But for values that could not be read.
      if (rejections.every(({ field }) => field !== null && field !== 'oid'))
        expect(read(known).rows.map(figures)).toEqual(rows.map(figures));
    });
    fc.assert(property, { numRuns: RUNS });
  });

  test('has no person in the known part, but in texts of the catalogue', () => {
    const texts = ['oid', 'code', 'name', 'articul', 'discount'];
    const figureFields = [...LINE_FIELDS.keys()].filter((name) => !texts.includes(name));
    const personal = fc.constantFrom(...PERSONAL);
    // The keys of an object of lines are their numbers.
    const elements = fc.constantFrom(...PERSONAL.filter((value) => !JSON.stringify(value).endsWith('":1}')));
    const spoilt = fc
      .tuple(line, fc.constantFrom(...figureFields, 'engraving', PERSON), personal)
      .map(([one, name, value]): JsonValue => ({ ...one, [name]: value }));
    const someLines = fc.oneof(
      elements,
      fc.array(fc.oneof(spoilt, personal), { maxLength: 3 }),
      spoilt.map((one): JsonValue => ({ x: one })),
    );
    const some = fc
      .tuple(
        fc.constantFrom('ordercontent', 'content'),
        someLines,
        fc.constantFrom('buyer', 'success', 'order_id', PERSON),
        personal,
      )
      .map(([name, found, more, value]): JsonObject => ({ [more]: value, [name]: found }));
    const property = fc.property(some, fc.boolean(), (answer, isNested) => {
      const { known } = divide(isNested && 'ordercontent' in answer ? { content: answer } : answer);
      expect(JSON.stringify(known)).not.toContain('Petrov');
    });
    fc.assert(property, { numRuns: RUNS });
  });

  const own = { engraving: 'Ivan' };
  const plain = { oid: '1_a', name: 'Mug' };
  const mug = { ...plain, ...own };
  test.each<[string, JsonObject, JsonValue[] | undefined, JsonObject | null]>([
    [
      'a list',
      { ordercontent: [mug, 'Ivan', null] },
      [plain, null, null],
      { ordercontent: { 0: own, 1: 'Ivan' } },
    ],
    ['an object', { ordercontent: { x: mug } }, [plain], { ordercontent: { 0: own } }],
    ['another name', { content: [mug] }, [plain], { ordercontent: { 0: own } }],
    [
      'an object of that',
      { content: { ordercontent: [mug], buyer: 'Ivan' } },
      [plain],
      { buyer: 'Ivan', ordercontent: { 0: own } },
    ],
    ['nothing', { success: 1, buyer: 'Ivan' }, undefined, { success: 1, buyer: 'Ivan' }],
    ['a list without more', { ordercontent: [{ oid: '1_a' }] }, [{ oid: '1_a' }], null],
    ['a list, and a discount in words', { content: [{ discount: 'sale' }] }, [{ discount: 'sale' }], null],
    [
      'figures that are none',
      { ordercontent: [{ price: 'Ivan', count: 2 }] },
      [{ price: {}, count: 2 }],
      { ordercontent: { 0: { price: 'Ivan' } } },
    ],
  ])('with lines in %s is divided', (_name, answer, lines, rest) => {
    const known = lines === undefined ? {} : { ordercontent: lines };
    expect(divide(answer)).toMatchObject({ known, rest });
    expect(Object.keys(divide(answer).known)).toEqual(Object.keys(known));
  });
});

/** The columns that hold no text. */
function figures(row: ReturnType<typeof normalizeLines>['rows'][number]) {
  const { line_no, product_oid, quantity, unit_price, line_total, list_price, list_total } = row;
  return [line_no, product_oid, quantity, unit_price, line_total, list_price, list_total];
}
