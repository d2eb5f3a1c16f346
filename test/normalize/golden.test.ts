/**
 * What the present version of the normalizers makes of fixed payloads, as `golden/rows.jsonl` shows it. What is recorded for a
 * version wins: recording again adds payloads, or begins a new version.
 */
import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';
import { z } from 'zod';

import { isJsonArray, isJsonObject, type JsonValue, parseJson } from '../../src/model/json.ts';
import { normalizeGroup } from '../../src/normalize/group.ts';
import { LINE_FIELDS, normalizeLines } from '../../src/normalize/lines.ts';
import { ORDER_FIELDS, PERSON_FIELDS } from '../../src/normalize/order-fields.ts';
import { normalizeOrder } from '../../src/normalize/order.ts';
import { isPresent } from '../../src/normalize/record-reader.ts';
import { normalizeUser } from '../../src/normalize/user.ts';
import { NORMALIZER_VERSION } from '../../src/normalize/normalizer-version.ts';

const COMMAND = 'npm run normalizer:golden';
const CONTEXT = { timezone: 'Europe/Moscow', guestSecret: 'a key' };

const readLines = (name: string) =>
  readFileSync(new URL(`golden/${name}`, import.meta.url), 'utf8')
    .trim()
    .split('\n');
const caseSchema = z.object({ name: z.string(), resource: z.string(), payload: z.custom<JsonValue>() });
const cases = readLines('payloads.jsonl').map((line) => caseSchema.parse(parseJson(line)));

const [head = '', ...lines] = readLines('rows.jsonl');
const { version } = z.object({ version: z.number() }).parse(JSON.parse(head));
const nameSchema = z.object({ name: z.string() });
/** Lines by the names of payloads. */
const recorded = new Map(lines.map((line) => [nameSchema.parse(JSON.parse(line)).name, line]));
const isRecorded = version === NORMALIZER_VERSION;

/** Made in each test: what runs at import counts as covered by all tests, which makes mutants of it slow. */
const makeLines = () =>
  cases.map(({ name, resource, payload }): [name: string, line: string] => [
    name,
    `{"name":${JSON.stringify(name)},"made":${sortedJson(normalize(resource, payload))}}`,
  ]);

/** JSON in which the order of columns does not count. */
function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: JsonValue) =>
    isJsonObject(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

function normalize(resource: string, payload: JsonValue): unknown {
  if (resource === 'lines' && isJsonArray(payload)) return normalizeLines('1', payload);
  if (!isJsonObject(payload)) throw new Error(`a payload is no ${resource}`);
  if (resource === 'order') return normalizeOrder(payload, CONTEXT);
  if (resource === 'user') return normalizeUser('7', payload, CONTEXT);
  if (resource === 'group') return normalizeGroup(payload, CONTEXT);
  throw new Error(`there is no resource ${resource}`);
}

test('a payload gives the recorded rows and rejections of this normalizer version', () => {
  expect(version, 'NORMALIZER_VERSION was lowered').toBeLessThanOrEqual(NORMALIZER_VERSION);
  const changed = makeLines().filter(([name, line]) => isRecorded && (recorded.get(name) ?? line) !== line);
  expect(
    changed.map(([name]) => name),
    `version ${NORMALIZER_VERSION} of the normalizers made other rows of these payloads. Raise NORMALIZER_VERSION in ` +
      `src/normalize/normalizer-version.ts to ${NORMALIZER_VERSION + 1}, so that shops are told to replay, and then run "${COMMAND}"; ` +
      'running it alone does not help. A payload that was edited needs a new name instead',
  ).toEqual([]);
});

test('each field that the program reads is in a payload', () => {
  const sent = (kind: string) =>
    new Set(
      cases
        .filter(({ resource }) => resource === kind)
        .flatMap(({ payload }) => (isJsonArray(payload) ? payload : [payload]))
        .filter(isJsonObject)
        .flatMap((record) => Object.keys(record).filter((field) => isPresent(record[field]))),
    );
  const unsent = [
    ...[...ORDER_FIELDS.keys(), ...PERSON_FIELDS.keys()].filter((field) => !sent('order').has(field)),
    ...[...LINE_FIELDS.keys()].filter((field) => !sent('lines').has(field)),
  ];
  expect(
    unsent,
    `add a payload to golden/payloads.jsonl, as the shop sends it, or correct the name of the field; then run "${COMMAND}"`,
  ).toEqual([]);
});

test('no payload is removed, and those of this version are recorded', async () => {
  const names = new Set(cases.map(({ name }) => name));
  expect(names.size).toBe(cases.length);
  expect([...recorded.keys()].filter((name) => !names.has(name))).toEqual([]);
  const made = makeLines().map(([name, line]) => `${(isRecorded && recorded.get(name)) || line}\n`);
  const rows = `{"version":${NORMALIZER_VERSION}}\n${made.join('')}`;
  const advice = `not recorded yet: run "${COMMAND}" and commit what it wrote`;
  await expect(rows, advice).toMatchFileSnapshot('golden/rows.jsonl');
});
