import * as fc from 'fast-check';
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';

import { formatConfigFile, withConfigFile } from '../../src/config/config-file.ts';
import { ConfigError } from '../../src/errors.ts';

const MARKS = ['a', 'é', '"', "'", '`', '#', '$', '\\', '=', '{', '}', ' ', '\t', '\n'];

test('what is written is read again, whatever is in it', () => {
  const value = fc.string({ unit: fc.constantFrom(...MARKS), maxLength: 12 });
  fc.assert(
    fc.property(value, (given) => {
      const isOnlyForFiles = given.includes('\n') || ["'", '"', '`'].every((mark) => given.includes(mark));
      try {
        expect(parseEnv(formatConfigFile({ SHOP_API_KEY: given, SHOP_LOGIN: 'x' }))).toEqual({
          SHOP_API_KEY: given,
          SHOP_LOGIN: 'x',
        });
        expect(given).not.toContain('\n');
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        expect(isOnlyForFiles || /['\\$]/.test(given)).toBe(true);
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
