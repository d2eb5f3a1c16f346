/** Whatever a server sends, a normalizer answers with values: it throws nothing, loses nothing silently, changes nothing. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import type { JsonObject } from '../../src/model/json.ts';
import { fingerprint } from '../../src/normalize/fingerprint.ts';
import { normalizeGroup } from '../../src/normalize/group.ts';
import { normalizeLines } from '../../src/normalize/lines.ts';
import { createdMinute, normalizeOrder } from '../../src/normalize/order.ts';
import type { Rejection } from '../../src/normalize/rejection.ts';
import { normalizeUser } from '../../src/normalize/user.ts';
import { type Field, GROUP_FIELDS, LINE_FIELDS, ORDER_FIELDS, USER_FIELDS } from './hostile/fields.ts';
import { TIMEZONE, USER } from './hostile/good-values.ts';
import { type Normal, silentLosses, strayChanges, wrongRejections } from './hostile/losses.ts';
import { samples } from './hostile/samples.ts';
import { IS_LONG } from '../support/long.ts';

const RUNS = IS_LONG ? 20_000 : 1_000;

const context = { timezone: TIMEZONE, guestSecret: 'a key' };

type Subject = {
  readonly name: string;
  readonly resource: Rejection['resource'];
  /** The field whose mistakes are the whole record's. */
  readonly key: string | undefined;
  readonly canBeRefused: boolean;
  readonly fields: readonly Field[];
  readonly normalize: (payload: JsonObject) => Normal;
};

const SUBJECTS: readonly Subject[] = [
  {
    name: 'order',
    resource: 'order',
    key: 'order_id',
    canBeRefused: true,
    fields: ORDER_FIELDS,
    normalize: (payload) => {
      expect(fingerprint(payload)).toHaveLength(32);
      const normal = normalizeOrder(payload, context);
      const minute = createdMinute(payload, context)?.toString();
      if (normal.row !== undefined) expect(minute?.slice(0, 16)).toBe(normal.row.created_local?.slice(0, 16));
      return withPerson(normal);
    },
  },
  {
    name: 'line',
    resource: 'content',
    key: undefined,
    canBeRefused: false,
    fields: LINE_FIELDS,
    normalize: (payload) => {
      const { rows, rejections } = normalizeLines('1', ['no line', payload]);
      const [ofElement, ...others] = rejections;
      expect(ofElement).toMatchObject({ field: 'ordercontent', value: 'no line' });
      return { row: rows[0], rejections: others };
    },
  },
  {
    name: 'group',
    resource: 'group',
    key: 'oid',
    canBeRefused: true,
    fields: GROUP_FIELDS,
    normalize: (payload) => normalizeGroup(payload, context),
  },
  {
    name: 'user',
    resource: 'user',
    // Of another user than the one asked for; an unreadable identifier is a field's mistake.
    key: undefined,
    canBeRefused: true,
    fields: USER_FIELDS,
    normalize: (payload) => withPerson(normalizeUser(USER, payload, context)),
  },
];

/** The columns of both tables side by side. */
function withPerson({ row, person, rejections }: Normal & { readonly person: object | undefined }): Normal {
  expect(person === undefined, 'a person without a row').toBe(row === undefined);
  return { row: row && { ...row, ...person }, rejections };
}

const PROTOTYPES = [Object.prototype, Array.prototype, String.prototype, Map.prototype];
/** Every property, and all that it consists of. */
const prototypes = () =>
  PROTOTYPES.flatMap((prototype) =>
    Reflect.ownKeys(prototype).flatMap((key): unknown[] => {
      const { value, get, set } = Reflect.getOwnPropertyDescriptor(prototype, key) ?? {};
      return [key, value, get, set];
    }),
  );

test.each(SUBJECTS)(
  'any $name throws nothing, keeps what is good, and names every loss',
  { timeout: 600_000 },
  ({ resource, key, canBeRefused, fields, normalize }) => {
    const before = prototypes();
    const tally = { payloads: 0, good: 0, fields: new Set<string | null>() };
    const property = fc.property(samples(fields), (sample) => {
      const sent = JSON.stringify(sample.payload);
      const normal = normalize(sample.payload);
      const { row, rejections } = normal;
      const faults = [
        ...(row === undefined ? [] : strayChanges(sample, row)),
        ...silentLosses(fields, sample, normal),
        ...wrongRejections(fields, sample, normal),
      ];
      if (row === undefined && !rejections.some(({ field }) => field === null))
        faults.push('no row and no reason');
      if (rejections.some((rejection) => rejection.resource !== resource)) faults.push('of another resource');
      if (JSON.stringify(sample.payload) !== sent) faults.push('the payload was changed');
      if ('polluted' in {}) faults.push('a prototype was changed');
      expect(faults).toEqual([]);
      tally.payloads += 1;
      tally.good += Number(sample.spoilt.size === 0);
      for (const { field } of rejections) tally.fields.add(field);
    });
    fc.assert(property, { numRuns: RUNS });
    expect(prototypes().findIndex((part, index) => !Object.is(part, before[index]))).toBe(-1);
    expect(prototypes()).toHaveLength(before.length);
    expect(tally.payloads).toBe(RUNS);
    expect(tally.good).toBeGreaterThan(RUNS / 50);
    // Every field met a value that it had to refuse.
    const neverNamed = fields.filter((field) => field.name !== key && !tally.fields.has(field.name));
    expect(neverNamed).toEqual([]);
    expect(tally.fields.has(null)).toBe(canBeRefused);
  },
);
