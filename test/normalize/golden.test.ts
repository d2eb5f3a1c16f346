/**
 * What each version of the normalizers makes of fixed payloads. `golden/rows.jsonl` shows it for the present version;
 * `golden/versions.json` keeps a hash for every version and payload, and is only ever added to.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';
import { z } from 'zod';

import { isJsonArray, isJsonObject, type JsonValue, parseJson } from '../../src/model/json.ts';
import { normalizeGroup } from '../../src/normalize/group.ts';
import { LINE_FIELDS } from '../../src/normalize/lines.ts';
import { normalizeLines } from '../../src/normalize/lines.ts';
import { ORDER_FIELDS, PERSON_FIELDS } from '../../src/normalize/order-fields.ts';
import { normalizeOrder } from '../../src/normalize/order.ts';
import { isPresent } from '../../src/normalize/record-reader.ts';
import { normalizeUser } from '../../src/normalize/user.ts';
import { NORMALIZER_VERSION } from '../../src/normalize/normalizer-version.ts';

const COMMAND = 'npm run normalizer:golden';
const CONTEXT = { timezone: 'Europe/Moscow', guestSecret: 'a key' };

const read = (name: string) => readFileSync(new URL(`golden/${name}`, import.meta.url), 'utf8');
const caseSchema = z.object({ name: z.string(), resource: z.string(), payload: z.custom<JsonValue>() });
const versionsSchema = z.record(z.string(), z.record(z.string(), z.string()));

/** By version and payload. */
const recorded = versionsSchema.parse(JSON.parse(read('versions.json')));
const cases = read('payloads.jsonl')
  .trim()
  .split('\n')
  .map((line) => caseSchema.parse(parseJson(line)));

/** Made in each test: what runs at import counts as covered by all tests, which makes mutants of it slow. */
const makeResults = () => cases.map(makeResult);
const hashesOf = (results: ReturnType<typeof makeResults>) =>
  Object.fromEntries(results.map(({ name, hash }) => [name, hash]));

function makeResult({ name, resource, payload }: z.infer<typeof caseSchema>) {
  const made = sortedJson(normalize(resource, payload));
  // The payload too: another one under the same name would hide what became of this one.
  const hash = createHash('sha256')
    .update(`${sortedJson(payload)}\n${made}`)
    .digest('hex')
    .slice(0, 16);
  return { name, hash, line: `{"name":${JSON.stringify(name)},"made":${made}}\n` };
}

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
  const before = recorded[NORMALIZER_VERSION] ?? {};
  const hashes = hashesOf(makeResults());
  const changed = Object.keys(hashes).filter((name) => (before[name] ?? hashes[name]) !== hashes[name]);
  expect(
    changed,
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
    ...Object.keys({ ...ORDER_FIELDS, ...PERSON_FIELDS }).filter((field) => !sent('order').has(field)),
    ...Object.keys(LINE_FIELDS).filter((field) => !sent('lines').has(field)),
  ];
  expect(
    unsent,
    `add a payload to golden/payloads.jsonl, as the shop sends it, or correct the name of the field; then run "${COMMAND}"`,
  ).toEqual([]);
});

test('no payload and no version is removed', () => {
  const versions = Object.keys(recorded).map(Number);
  const results = makeResults();
  const hashes = hashesOf(results);
  expect(Math.max(...versions), 'NORMALIZER_VERSION was lowered').toBeLessThanOrEqual(NORMALIZER_VERSION);
  const names = new Set(Object.values(recorded).flatMap(Object.keys));
  expect([...names].filter((name) => !(name in hashes))).toEqual([]);
  expect(results).toHaveLength(Object.keys(hashes).length);
});

test('the rows of this version are recorded', async () => {
  const advice = `not recorded yet: run "${COMMAND}" and commit what it wrote`;
  const results = makeResults();
  // What is recorded wins: regenerating adds a version or a payload, and changes none.
  const current = { ...hashesOf(results), ...recorded[NORMALIZER_VERSION] };
  const versions = `${JSON.stringify({ ...recorded, [NORMALIZER_VERSION]: current }, null, 2)}\n`;
  await expect(versions, advice).toMatchFileSnapshot('golden/versions.json');
  const rows = `{"version":${NORMALIZER_VERSION}}\n${results.map(({ line }) => line).join('')}`;
  await expect(rows, advice).toMatchFileSnapshot('golden/rows.jsonl');
});
