import { readFile } from 'node:fs/promises';

import { expect, test } from 'vitest';

import { SETTING_NAMES } from '../../src/config/load-config.ts';

test('the page of settings has a row for every setting, and for nothing else', async () => {
  const page = await readFile('docs/settings.md', 'utf8');
  const rows = [...page.matchAll(/^\| ([^|]+) \|/gm)].map(([, names = '']) => names);
  const named = rows.flatMap((names) => names.match(/(?<=`)[A-Z][A-Z_]+(?=`)/g) ?? []);
  expect(named.toSorted()).toEqual([...SETTING_NAMES].toSorted());
});
