import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { problemsOf } from './parse-file.ts';

/** Secrets full of what means something in YAML, with a mark in every piece that it may fall into. */
const secret = fc
  .array(fc.constantFrom(...': |, | #|"|\'|{|}|[|]|&|*|!|%|@|`|\\|\n|\t|-|?|:|---\n|<<: '.split('|')), {
    maxLength: 5,
  })
  .map((signs) => ['', ...signs, ''].join('Zq7'));
const style = fc.constantFrom(
  (text: string) => text,
  (text: string) => `'${text}'`,
  (text: string) => `"${text}"`,
  (text: string) => `[${text}]`,
  (text: string) => `{${text}: 1}`,
  (text: string) => `|\n      ${text}`,
  (text: string) => `\n  ${text}`,
  (text: string) => `*${text}`,
  (text: string) => `!${text} x`,
);
const secretName = fc.constantFrom(
  'apiKey',
  'apiKeyFile',
  'apiKeyEnv',
  'piiSecret',
  'piiSecretFile',
  'apikey',
  'pii_secret',
);

test('no problem ever contains part of a secret, however broken the file is', () => {
  let told = 0;
  fc.assert(
    fc.property(secret, style, secretName, fc.boolean(), (text, written, name, isShared) => {
      const [top, own] = isShared
        ? [`defaults:\n    ${name}: ${written(text)}\n`, '']
        : ['', `    ${name}: ${written(text)}\n`];
      const problems = problemsOf(`${top}shops:\n  - key: a\n${own}    timezone: Berlin\n`);
      expect(problems.length).toBeGreaterThan(0);
      told += problems.length;
      const shown = problems.join('\n');
      expect(shown).not.toContain('Zq7');
    }),
    { numRuns: 500 },
  );
  expect(told).toBeGreaterThan(500);
});
