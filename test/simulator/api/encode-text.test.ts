import { expect, test } from 'vitest';

import type { Dialect } from '../../../src/simulator/shop/dialect.ts';
import { startSimulator } from '../../../src/simulator/server.ts';
import { HEADERS, NOW } from '../client.ts';

async function ask(charset: Dialect['charset'], dialect: Partial<Dialect> = {}) {
  await using sim = await startSimulator({ orders: 0, now: NOW, dialect: { charset, ...dialect } });
  const fields = [{ key: 'gorod', value: 'Тверь', label: 'Город' }];
  sim.shop.insertOrder({ fio: 'Ёлкина «Зоя» № 7 €', comment: 'Žofie 😀', fields });
  const response = await fetch(`${sim.url}/adm/api/orders`, { headers: HEADERS });
  return { type: response.headers.get('Content-Type'), bytes: Buffer.from(await response.arrayBuffer()) };
}

test.each([
  ['windows-1251', 'application/json; charset=windows-1251'],
  ['windows-1251-unlabelled', 'application/json'],
] as const)('text may come as %s', async (charset, type) => {
  const answer = await ask(charset);
  expect(answer.type).toBe(type);
  expect(() => new TextDecoder('utf-8', { fatal: true }).decode(answer.bytes)).toThrow(
    'encoded data was not valid',
  );
  const text = new TextDecoder('windows-1251').decode(answer.bytes);
  expect(text).toContain('"fio":"Ёлкина «Зоя» № 7 €"');
  expect(text).toContain('"comment":"?ofie ?"');
  // PHP counts bytes: one for each character.
  expect(text).toContain('s:5:\\"Тверь\\"');
});

test('compression and a byte order mark, which windows-1251 lacks, keep the text', async () => {
  const [plain, packed] = [await ask('windows-1251'), await ask('windows-1251', { gzip: true, bom: true })];
  expect(packed.bytes.equals(plain.bytes)).toBe(true);
  expect((await ask('utf-8')).type).toBe('application/json; charset=utf-8');
});
