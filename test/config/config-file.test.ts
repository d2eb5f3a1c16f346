import * as fc from 'fast-check';
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';

import { findBrokenLines, formatConfigFile, withConfigFile } from '../../src/config/config-file.ts';
import { ConfigError } from '../../src/model/errors.ts';

const MARKS = ['a', 'é', '"', "'", '`', '#', '$', '\\', '=', '{', '}', ' ', '\t', '\n'];

test('what is written is read again, whatever is in it', () => {
  const value = fc.string({ unit: fc.constantFrom(...MARKS), maxLength: 12 });
  fc.assert(
    fc.property(value, (given) => {
      try {
        expect(parseEnv(formatConfigFile({ SHOP_API_KEY: given, SHOP_LOGIN: 'x' }))).toEqual({
          SHOP_API_KEY: given,
          SHOP_LOGIN: 'x',
        });
        expect(given).not.toContain('\n');
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        expect(given).toMatch(/['\n]/);
      }
    }),
    { seed: 20_261_122, verbose: true, numRuns: 2_000 },
  );
});

test('a value that no quotes can hold is refused with what to do, and is not repeated', () => {
  const format = () => formatConfigFile({ SHOP_API_KEY: `se'cr"et\`` });
  expect(format).toThrow(/SHOP_API_KEY.*SHOP_API_KEY_FILE/);
  expect(format).not.toThrow(/cr"et/);
});

test('the environment overrides the file, a secret in a file of its own too', () => {
  const file = "SHOP_URL='https://a.example'\nSHOP_API_KEY='from the file'\nSHOP_LOGIN=admin\n";
  const env = { SHOP_URL: 'https://b.example', SHOP_API_KEY_FILE: '/run/secrets/key', SHOP_LOGIN: '' };
  expect(withConfigFile(env, file)).toEqual({
    SHOP_URL: 'https://b.example',
    SHOP_API_KEY_FILE: '/run/secrets/key',
    SHOP_LOGIN: 'admin',
  });
});

test('Docker puts nothing into what is written', () => {
  expect(formatConfigFile({ A: 'x$y', B: 'a\\n"b' })).toBe(`A='x$y'\nB='a\\n"b'\n`);
});

test.each([
  ['', []],
  ['A="x"\nbroken\nB="y"', [2]],
  ["# a comment\n\n  export A=1\r\nB = 'x'\nC=\n", []],
  ['SHOP_URL http://x\nA=1', [1]],
  ['A=1\nsome words\n=2\n', [2, 3]],
  ['A="first\nsecond\nthird" # x\nbroken', [2, 3, 4]],
  ["A='open\nbroken\nB=1", [2]],
])('the lines of %j that set nothing are %j', (text, broken) => {
  expect(findBrokenLines(text)).toEqual(broken);
});
