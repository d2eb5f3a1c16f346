import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { NEXT_STEPS, nextStep } from '../../src/model/next-step.ts';
import { listCommands } from '../support/command-list.ts';

/** Where the commands are made, with the examples of their help. */
const OWN = /^(model\/next-step\.ts|cli\/program\/)/;
const COMMENTS = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm;

test('no text names a command by itself, but takes it from the table whose steps are followed', async () => {
  const names = new Set((await listCommands()).map(({ name }) => name.split(' ')[0]));
  expect(names.size).toBeGreaterThan(20);
  const one = [...names].join('|');
  const named = new RegExp(
    `order-sync (${one})\\b|\\\\\`(${one})( [^\`]*)?\\\\\`|(?<!npm )\\brun (${one})\\b|\\b(${one}) (with )?--[a-z]`,
    'g',
  );
  const files = (await readdir('src', { recursive: true })).filter(
    (file) => file.endsWith('.ts') && !OWN.test(file),
  );
  const found: string[] = [];
  for (const file of files) {
    const code = (await readFile(join('src', file), 'utf8')).replaceAll(COMMENTS, '');
    found.push(...[...code.matchAll(named)].map(([text]) => `${file}: ${text}`));
  }
  expect(found).toEqual([]);
});

test('a step is printed with the values that are known, and with placeholders for the others', () => {
  expect(nextStep('load shop')).toBe('order-sync backfill');
  expect(nextStep('load shop', { shop: 'a$&b' })).toBe('order-sync backfill --shop a$&b');
  expect(nextStep('show field', { shop: 'north' })).toBe('order-sync fields show KEY --shop north');
  expect(NEXT_STEPS['correct zone']).toBe('shops set-timezone SHOP NEW');
});
