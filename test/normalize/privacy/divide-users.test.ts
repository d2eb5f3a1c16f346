/** A user's record in two parts: together they are what was sent, and the first names no person. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { isJsonObject, type JsonObject } from '../../../src/model/json.ts';
import { divideUser } from '../../../src/normalize/privacy/divide-records.ts';
import { joinUser } from '../../../src/normalize/privacy/join-records.ts';
import { normalizeUser } from '../../../src/normalize/user.ts';
import * as all from '../hostile/fields.ts';
import { TIMEZONE, USER } from '../hostile/good-values.ts';
import { isHarmless, PERSON, PERSONAL } from '../hostile/personal.ts';
import { samples } from '../hostile/samples.ts';
import { IS_LONG } from '../../support/long.ts';

/** Of an account: its numbers, states and times. */
const USER_FIGURES = new Set('oid parent_oid master_oid visible access created updated'.split(' '));
const RUNS = IS_LONG ? 20_000 : 400;
const context = { timezone: TIMEZONE, guestSecret: 'a key' };

/** As for accounts: a state that looks like a text may name a person. */
const isText = (text: string) => !/^[\w-]{1,16}$/.test(text);

describe('a user', () => {
  const divideIt = (sent: JsonObject) => {
    const { row, person, rejections } = normalizeUser(USER, sent, context);
    return row && { ...divideUser(sent, { row, rejections }, isText), row, person, rejections };
  };

  test('in two parts, joined again, makes the same row, person and rejections, whatever was sent', () => {
    const tally = { users: 0, withRest: 0 };
    const property = fc.property(samples(all.USER_FIELDS), ({ payload }) => {
      const divided = divideIt(payload);
      if (divided === undefined) return;
      const { row, person, rejections, known, rest } = divided;
      const joined = joinUser(known, person.content, rest);
      expect(normalizeUser(USER, joined, context)).toEqual({ row, person, rejections });
      expect(divideIt(joined)).toEqual(divided);
      tally.users += 1;
      tally.withRest += Number(rest !== null);
    });
    fc.assert(property, { numRuns: RUNS });
    expect(tally.users).toBeGreaterThan(RUNS / 2);
    expect(tally.withRest).toBeGreaterThan(RUNS / 10);
  });

  test('has in the known part its figures and level alone', () => {
    const property = fc.property(samples(all.USER_FIELDS), ({ payload }) => {
      const divided = divideIt(payload);
      if (divided === undefined) return;
      const { known, row, rejections } = divided;
      const { content, ...figuresOf } = known;
      expect(Object.keys(figuresOf).filter((name) => !USER_FIGURES.has(name))).toEqual([]);
      if (content !== undefined) expect(Object.keys(Object(content))).toEqual(['level']);
      const rejected = rejections.map(({ field }) => field ?? '');
      const isLost = (name: string) =>
        USER_FIGURES.has(name) && !isHarmless(payload[name]) && (Reflect.get(row, name) ?? null) === null;
      for (const name of rejected.filter(isLost))
        expect(['?', null, '(hidden)'], name).toContain(known[name]);
      // Without the person it is the same account, but for states that look like texts.
      const again = normalizeUser(USER, known, context).row;
      const state = (text: string | null, before: string | null) => text === before || text === '(hidden)';
      expect(state(again?.visible ?? null, row.visible)).toBe(true);
      expect(state(again?.access ?? null, row.access)).toBe(true);
      expect({ ...again, visible: row.visible, access: row.access }).toEqual(row);
    });
    fc.assert(property, { numRuns: RUNS });
  });

  test('has no person in the known part', () => {
    const names = [...all.USER_FIELDS.map(({ name }) => name), 'name', PERSON].filter(
      (name) => name !== 'oid',
    );
    const property = fc.property(
      samples(all.USER_FIELDS),
      fc.constantFrom(...names),
      fc.constantFrom(...PERSONAL),
      ({ payload }, name, value) => {
        const content = isJsonObject(payload['content']) ? payload['content'] : {};
        const [, inner] = name.split('.');
        const isInner = name.startsWith('content.') && inner !== undefined;
        const spoilt = isInner ? { content: { ...content, [inner]: value } } : { [name]: value };
        const divided = divideIt({ ...payload, ...spoilt, oid: USER });
        expect(JSON.stringify(divided?.known)).not.toContain('Petrov');
      },
    );
    fc.assert(property, { numRuns: RUNS });
  });

  test('is divided by what its fields hold', () => {
    const sent = {
      oid: USER,
      parent_oid: '90',
      name: 'Ivan',
      visible: 'Y',
      access: 'for Ivan',
      created: 'Ivan',
    };
    expect(divideIt({ ...sent, content: { level: 'Ivan', login: 'ivan' } })).toMatchObject({
      known: {
        oid: USER,
        parent_oid: '90',
        visible: 'Y',
        access: '(hidden)',
        created: '?',
        content: { level: '?' },
      },
      rest: { name: 'Ivan', access: 'for Ivan', created: 'Ivan' },
    });
    expect(divideIt({ oid: USER, content: { level: '2', size: 'M' } })).toMatchObject({
      known: { oid: USER, content: { level: '2' } },
      person: { content: { level: '2', size: 'M' } },
      rest: null,
    });
    expect(divideIt({ oid: USER, content: { level: '916-555-12-34' } })).toMatchObject({
      known: { content: { level: '?' } },
    });
    expect(divideIt({ oid: USER, content: 'Ivan' })).toMatchObject({
      known: { oid: USER, content: { level: null } },
      rest: { content: 'Ivan' },
    });
  });

  test('of whom no row could be made has figures alone', () => {
    const sent = {
      oid: 8,
      created: 'Ivan',
      updated: '2025-02-03 10:00:00',
      visible: 'Y',
      content: { level: 2 },
    };
    expect(divideUser(sent, { row: undefined, rejections: [] }, isText)).toEqual({
      known: { oid: 8, created: '?', updated: '2025-02-03 10:00:00', visible: null, content: { level: 2 } },
      rest: { created: 'Ivan', visible: 'Y' },
    });
    expect(
      divideUser({ oid: 8, content: { level: 'Ivan' } }, { row: undefined, rejections: [] }, isText).known,
    ).toEqual({
      oid: 8,
      content: { level: '?' },
    });
  });

  test('whose person is stored in part keeps the level and what is stored', () => {
    const known = { oid: USER, content: { level: 2 } };
    expect(joinUser(known, { size: 'M' }, null)).toEqual({ oid: USER, content: { level: 2, size: 'M' } });
    expect(joinUser(known, null, null)).toEqual(known);
    expect(joinUser({ oid: USER }, { size: 'M' }, null)).toEqual({ oid: USER, content: { size: 'M' } });
    expect(joinUser({ oid: USER }, null, { size: 'M' })).toEqual({ oid: USER, size: 'M' });
  });
});
