import { expect, test } from 'vitest';

import { withScheme } from '../../../../src/cli/commands/setup/try-address.ts';

test('an address without a scheme is one of https; what else was typed stays as it is', () => {
  expect(withScheme(' shop.example ')).toBe('https://shop.example');
  expect(withScheme('shop.example:8443/path')).toBe('https://shop.example:8443/path');
  expect(withScheme('http://127.0.0.1:80')).toBe('http://127.0.0.1:80');
  expect(withScheme('')).toBe('');
});
