import { expect, test } from 'vitest';

import { phpSerialize } from '../../../src/simulator/api/php-serialize.ts';

test('maps, text and whole numbers are written as PHP writes them', () => {
  const value = { a: { value: 'ё"; ', n: -5 }, пусто: {} };
  const bytes = 'a:2:{s:1:"a";a:2:{s:5:"value";s:5:"ё"; ";s:1:"n";i:-5;}s:10:"пусто";a:0:{}}';
  expect(phpSerialize(value, 'bytes')).toBe(bytes);
});

test('lengths may count characters, a surrogate pair as one', () => {
  expect(phpSerialize('ё€😀', 'bytes')).toBe('s:9:"ё€😀";');
  expect(phpSerialize('ё€😀', 'characters')).toBe('s:3:"ё€😀";');
});
