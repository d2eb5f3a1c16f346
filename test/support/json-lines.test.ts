import { expect, test } from 'vitest';

import { assertDocumented } from './json-lines.ts';

const FAILED = '{"shop":null,"status":"failed","error":"x"}\n';

test('JSON of a command that is described nowhere is refused, but for a failure', () => {
  expect(() => assertDocumented(['worker', '--json'], '{"a":1}\n')).toThrow(
    '`worker` prints JSON but is not in DOCUMENTS (test/support/documents/documents.ts)',
  );
  expect(() => assertDocumented(['worker', '--json'], FAILED)).not.toThrow();
});

test('the command is found behind options with values', () => {
  const surprise = '{"surprise":1}\n';
  const line = ['--config', 'x.env', 'migrate', '--json'];
  expect(() => assertDocumented(line, surprise)).toThrow('not as docs/json.md says');
});
