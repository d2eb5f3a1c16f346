import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import * as AREAS from './all.ts';
import { PROMISES } from './promises.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const TEST_FILES = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
  .map((file) => `test/${file}`)
  .filter((file) => file.endsWith('.test.ts'));
const FAULTS = Object.values(AREAS).flat();

describe.each(Object.entries(AREAS))('each fault of %s', (_, faults) => {
  test.each(faults)('can be put into $file: $replace', ({ file, find, replace }) => {
    const parts = read(file).split(find);
    expect(parts, `occurrences of ${find}`).toHaveLength(2);
    expect(replace).not.toBe(find);
    // A file that cannot be read would be noticed by any test.
    if (file.endsWith('.ts')) stripTypeScriptTypes(parts.join(replace));
  });

  test('names test files that there are, and what the README promises', () => {
    const filters = faults.flatMap(({ tests }) => tests);
    const unknown = filters.filter((filter) => !TEST_FILES.some((file) => file.includes(filter)));
    expect(unknown).toEqual([]);
    expect(faults.filter(({ tests }) => tests.length === 0)).toEqual([]);
    const names: readonly string[] = PROMISES;
    expect(faults.filter(({ promise }) => !names.includes(promise))).toEqual([]);
  });
});

test('no fault is kept twice', () => {
  const texts = FAULTS.map(({ file, find, replace }) => JSON.stringify([file, find, replace]));
  expect(texts.filter((text, index) => texts.indexOf(text) !== index)).toEqual([]);
});

/** So many areas are to be listed; until then, some promises lack faults. */
const ENOUGH_AREAS = 8;

test.skipIf(Object.keys(AREAS).length < ENOUGH_AREAS)('each promise has at least five faults', () => {
  const counts = PROMISES.map((name) => FAULTS.filter(({ promise }) => promise === name).length);
  expect(PROMISES.filter((_, index) => (counts[index] ?? 0) < 5)).toEqual([]);
});

test('the promises are the bold sentences of the README', () => {
  const [, section = ''] = /^## What you can rely on\n(.*?)^## /ms.exec(read('README.md')) ?? [];
  expect([...section.matchAll(/^- \*\*(.+?)\*\*/gm)].map(([, promise]) => promise)).toEqual(PROMISES);
});
