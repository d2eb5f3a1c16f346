/** The tables that people choose a view from list every view. */
import { readFile } from 'node:fs/promises';

import { expect, test } from 'vitest';

import { inRepository } from './markdown.ts';
import { VIEW_KEYS } from './view-keys.ts';

const TABLES = [
  { page: 'docs/bi.md', heading: '## How the views hang together', of: ['bi.'], leavesOut: 'bi.' },
  { page: 'docs/bi.md', heading: '## Which view answers what', of: ['bi.', 'bi_pii.'], leavesOut: 'bi.' },
];

test.each(TABLES)(
  '$page: the table of "$heading" has every view',
  async ({ page, heading, of, leavesOut }) => {
    const text = await readFile(inRepository(page), 'utf8');
    const [, section = ''] = text.split(`\n${heading}\n`);
    const [table = ''] = /^\|[^]*?\n\n/m.exec(section) ?? [];
    const views = Object.keys(VIEW_KEYS).filter((view) => of.some((schema) => view.startsWith(schema)));
    const lacking = views
      .map((view) => view.replace(new RegExp(`^${RegExp.escape(leavesOut)}`), ''))
      .filter((name) => !table.includes(`\`${name}\``));
    const problems = lacking.map((name) => `${page}, "${heading}": the table lacks \`${name}\``);
    expect(problems).toEqual([]);
  },
);
