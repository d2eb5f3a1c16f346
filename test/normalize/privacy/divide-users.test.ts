/** A user's record in two parts: together they are what was sent, and the first names no person. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { isJsonObject, type JsonObject } from '../../../src/model/json.ts';
import { divideUser, joinUser } from '../../../src/normalize/privacy/records.ts';
import { normalizeUser } from '../../../src/normalize/user.ts';
import * as all from '../hostile/fields.ts';
import { TIMEZONE, USER } from '../hostile/good-values.ts';
import { PERSON, PERSONAL } from '../hostile/personal.ts';
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
      const { known, row } = divided;
      const { content, ...figuresOf } = known;
      expect(Object.keys(figuresOf).filter((name) => !USER_FIGURES.has(name))).toEqual([]);
      if (content !== undefined) expect(Object.keys(Object(content))).toEqual(['level']);
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
    const known = { oid: USER, parent_oid: '90', visible: 'Y' };
    const rest = { name: 'Ivan', access: 'for Ivan', created: 'Ivan' };
    const divided = divideIt({ ...known, ...rest, content: { level: 'Ivan', login: 'ivan' } });
    expect(divided).toMatchObject({ known: { ...known, access: '(hidden)', created: {} }, rest });
    expect(divideIt({ oid: USER, content: { level: '2', size: 'M' } })).toMatchObject({
      known: { oid: USER, content: { level: '2' } },
      person: { content: { level: '2', size: 'M' } },
      rest: null,
    });
    expect(divideIt({ oid: USER, content: { level: '916-555-12-34' } })?.known).toEqual({ oid: USER });
    expect(divideIt({ oid: USER, content: 'Ivan' })).toMatchObject({
      known: { oid: USER },
      rest: { content: 'Ivan' },
    });
  });
});
