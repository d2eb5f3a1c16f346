/** docs/json.md is what the schemas say, and the schemas keep the rules that it states. */
import { expect, test } from 'vitest';

import { DOCUMENTS, FAILURE } from '../support/documents/documents.ts';
import { listCommands } from '../support/command-list.ts';
import { inRepository } from './markdown.ts';
import { renderJsonDocument } from './json-documents.ts';

test('generated: docs/json.md says what the schemas say', async () => {
  const message = 'docs/json.md is stale: npm run docs:dictionary';
  await expect(await renderJsonDocument(), message).toMatchFileSnapshot(inRepository('docs/json.md'));
});

test('every command with --json has a schema, and every schema is of such a command', async () => {
  const withJson = (await listCommands()).filter(({ help }) => /^ +--json /m.test(help));
  // With an option that changes its documents, a command may have others: `sql --views`.
  const described = DOCUMENTS.flatMap(({ commands }) => commands).filter((name) => !name.includes(' --'));
  const message = 'DOCUMENTS in test/support/documents/documents.ts';
  expect(described.toSorted(), message).toEqual(withJson.map(({ name }) => name).toSorted());
});

test('every key is snake_case and explained, but the settings that simulate prints', async () => {
  const lines = (await renderJsonDocument()).split('\n').filter((line) => line.startsWith('| `'));
  const rows = lines.map((line) => line.split('|').map((cell) => cell.trim()));
  expect(rows.length).toBeGreaterThan(100);
  const keys = rows.map(([, key = '']) => key.replaceAll('`', ''));
  const isOdd = (key: string) => !/^[a-z0-9_.[\]]+$/.test(key) && !/^SHOP_[A-Z_]+$/.test(key);
  expect(keys.filter(isOdd)).toEqual([]);
  const PLAIN = /^`(status|alert|kind|SHOP_[A-Z_]+|.*\.(kind|status))`$|^`shop`$/;
  const silent = rows.filter(([, key = '', , meaning]) => meaning === '' && !PLAIN.test(key));
  expect(silent.map(([, key]) => key)).toEqual([]);
});

test('a key that no schema knows is refused', () => {
  for (const { schema } of [...DOCUMENTS, { schema: FAILURE }]) {
    const failed = { shop: null, status: 'failed', error: 'x', surprise: 1 };
    expect(schema.safeParse(failed).success).toBe(false);
  }
});
