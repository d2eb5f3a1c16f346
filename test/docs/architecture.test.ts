import { existsSync, readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { inRepository } from './markdown.ts';

/** Where the page looks for the files that it names. */
const ROOTS = ['', 'src/', 'src/shop-api/', 'src/http/'];

test('the files that the architecture names exist', () => {
  const text = readFileSync(inRepository('docs/architecture.md'), 'utf8');
  const files = [...text.matchAll(/`([\w-]+(?:\/[\w.-]+)+\.(?:ts|sql))`/g)].map(([, file = '']) => file);
  expect(files.length).toBeGreaterThan(50);
  const missing = files.filter((file) => !ROOTS.some((root) => existsSync(inRepository(root + file))));
  // One stands for any view or function.
  expect(missing.filter((file) => !file.includes('NN_name'))).toEqual([]);
});
