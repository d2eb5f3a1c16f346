/** docs/contributing.md lists what the tests read of their environment. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { inRepository } from './markdown.ts';

/** What every process has, and a switch that only a library reads. */
const NOT_OURS = ['PATH', 'HOME', 'TESTCONTAINERS_RYUK_DISABLED'];
const READ = /process\.env(?:\.|\[')([A-Z_]+)/g;

test('docs/contributing.md has a row for each environment variable that tests read, and for no other', async () => {
  const files = (await readdir(inRepository('test'), { recursive: true })).filter((file) =>
    file.endsWith('.ts'),
  );
  const paths = [inRepository('vitest.config.ts'), ...files.map((file) => join(inRepository('test'), file))];
  const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
  const read = texts.flatMap((text) => [...text.matchAll(READ)].map(([, name = '']) => name));
  const page = await readFile(inRepository('docs/contributing.md'), 'utf8');
  const cells = [...page.matchAll(/^\| (`[A-Z_]+`(?:, `[A-Z_]+`)*) +\|/gm)].map(([, cell = '']) => cell);
  const listed = cells.flatMap((cell) => cell.match(/[A-Z_]+/g) ?? []);
  expect(listed.toSorted()).toEqual([...new Set(read)].filter((name) => !NOT_OURS.includes(name)).toSorted());
});
