import { expect, test } from 'vitest';

import type { JsonObject } from '../../../src/model/json.ts';
import { namesPerson } from '../../../src/normalize/privacy/strip-records.ts';

const PERSON = {
  fio: ' Ivan Petrov ',
  name: 'Li',
  org_name: 'Nordwind Ltd',
  login: 'ipet1',
  phone: '8 916 555 12 34',
  address: 'Lane',
  comment: 'Ring twice',
  status: 'courier',
};

test.each([
  ['a name, as it is written', 'for ivan petrov'],
  ['a long word of the name, within another', 'Petrovs'],
  ['a short word of the name', 'to Ivan!'],
  ['a word of the company', 'the nordwindy one'],
  ['the company in short', 'LTD'],
  ['the login', 'IPET1x'],
  ['the end of the phone number', 'x555-1234'],
  ['the comment', 'please ring twice.'],
  ['any e-mail address', 'x@y'],
])('%s names the person', (_name, text) => {
  expect(namesPerson(PERSON)(text)).toBe(true);
});

test('a person is found behind entities, on either side', () => {
  const names = namesPerson({ fio: 'Dr&period; P&eacute;rez &amp; Co', phone: '&#43;7&nbsp;916&nbsp;555' });
  expect(['to PÉREZ', 'to P&eacute;rez', 'a&#64;b', 'x &#57;16555'].map(names)).toEqual([
    true,
    true,
    true,
    false,
  ]);
  expect(['amp', 'eacute', 'nbsp'].map(names)).toEqual([false, false, false]);
});

test.each([
  ['a short word within another', 'Ivanhoe'],
  ['a word of two letters', 'li'],
  ['a short address', 'Lane'],
  ['other digits', '555-12-35 916'],
  ['a field that is not of the person', 'courier'],
  ['nothing', ''],
])('%s does not', (_name, text) => {
  expect(namesPerson(PERSON)(text)).toBe(false);
});

test.each<[JsonObject, string]>([
  [{ address: ' Baker Lane 1 ' }, 'at baker lane 1'],
  [{ fio: 'Li Bo' }, 'for Li Bo'],
  [{ name: 'Li Bo' }, 'for Li Bo'],
  [{ fio: 'Berta Li' }, 'Bertas'],
  // Vowels of some scripts are marks on letters.
  [{ fio: 'अमित शर्मा' }, 'अमित के लिए'],
  [{ email: 'ivan.petrov' }, 'to ivan.petrov'],
  [{ phone: '555-12' }, 'ring 555-12'],
  [{ phone: 89_165_551_234 }, 'ring 555-12-34'],
  [{ phone: JSON.rawJSON('89165551234000001234567') }, 'ring 123-45-67'],
])('of %j, "%s" names the person', (record, text) => {
  expect(namesPerson(record)(text)).toBe(true);
});

test('a name in a script without blanks names the person within a text, from two characters on', () => {
  const isPersonal = namesPerson({ fio: '王小明 李' });
  expect(['给王小明的', '李'].map(isPersonal)).toEqual([true, false]);
  expect(['山田さん', '김민준'].map((fio) => namesPerson({ fio })(`x${fio}y`))).toEqual([true, true]);
});

test('a person of whom nothing is known is named by an e-mail address only', () => {
  for (const record of [{}, { fio: ' ', phone: '12-34', name: 5, comment: null }]) {
    expect(['1234', '', ' ', 'a'].map(namesPerson(record))).toEqual([false, false, false, false]);
    expect(namesPerson(record)('a@b')).toBe(true);
  }
});
