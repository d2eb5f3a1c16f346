import { readFile } from 'node:fs/promises';

import { expect, test } from 'vitest';

import { SETTING_NAMES } from '../../src/config/load-config.ts';

test('the page of settings has a row for every setting, and for nothing else', async () => {
  const page = await readFile('docs/settings.md', 'utf8');
  const rows = [...page.matchAll(/^\| ([^|]+) \|/gm)].map(([, names = '']) => names);
  const named = rows.flatMap((names) => names.match(/(?<=`)[A-Z][A-Z_]+(?=`)/g) ?? []);
  expect(named.toSorted()).toEqual([...SETTING_NAMES].toSorted());
});

test('a line of .env.example that is commented out shows the default that the page of settings states', async () => {
  const page = await readFile('docs/settings.md', 'utf8');
  const example = await readFile('.env.example', 'utf8');
  const defaults = new Map(
    [...page.matchAll(/^\| (`[^|]+) \|[^|]*\| *([^|]+?) *\|$/gm)].flatMap(([, names = '', cell = '']) => {
      const of = names.match(/(?<=`)[A-Z][A-Z_]+(?=`)/g) ?? [];
      const cells = of.length > 1 ? cell.split(', ') : [cell];
      return of.map(
        (name, at) =>
          [
            name,
            /^`([^`]+)`|^(\d+)$/
              .exec(cells[at] ?? '')
              ?.slice(1)
              .join(''),
          ] as const,
      );
    }),
  );
  const shown = [...example.matchAll(/^#([A-Z_]+)=(.*)$/gm)].flatMap(([, name = '', value = '']) =>
    defaults.get(name) === undefined ? [] : [[name, value]],
  );
  expect(shown.length).toBeGreaterThan(8);
  expect(shown).toEqual(shown.map(([name = '']) => [name, defaults.get(name)]));
});
