/** The table that people choose a view from lists every view, and is the only one. */
import { readFile } from 'node:fs/promises';

import { expect, test } from 'vitest';

import { inRepository } from './markdown.ts';
import { VIEW_KEYS } from './view-keys.ts';

test('docs/bi.md, "How the views hang together": the table has every view', async () => {
  const text = await readFile(inRepository('docs/bi.md'), 'utf8');
  const [, section = ''] = text.split('\n## How the views hang together\n');
  const [table = ''] = /^\|[^]*?\n\n/m.exec(section) ?? [];
  const names = Object.keys(VIEW_KEYS).map((view) => view.replace(/^bi\./, ''));
  expect(names.filter((name) => !table.includes(`\`${name}\``))).toEqual([]);
});
