import { expect, test } from 'vitest';

import { readStatementText } from '../../../src/warehouse/query/statement-text.ts';

test('comments and the semicolon at the end are left out, what looks like them in quotes is not', () => {
  const cases: readonly (readonly [text: string, statement: string, count: number])[] = [
    ['SELECT 1', 'SELECT 1', 1],
    ["SELECT ';--/*' AS a ; -- it's done;", "SELECT ';--/*' AS a", 1],
    ["SELECT 'it''s; -- x'", "SELECT 'it''s; -- x'", 1],
    [String.raw`SELECT E'it\'s; -- x';`, String.raw`SELECT E'it\'s; -- x'`, 1],
    [String.raw`SELECT 'ends in \'; -- x`, String.raw`SELECT 'ends in \'`, 1],
    ['SELECT $$;--$$, $a$ $$; $a$;', 'SELECT $$;--$$, $a$ $$; $a$', 1],
    ['SELECT 1 AS ";--";', 'SELECT 1 AS ";--"', 1],
    ['-- a\n/* b /* c; */ ; */ SELECT 1;;', 'SELECT 1', 1],
    ['SELECT 1; SELECT 2', 'SELECT 1; SELECT 2', 2],
    [' ; -- nothing; at all\n /* ; */', '', 0],
    ['/* never ends; SELECT 1', '', 0],
  ];
  for (const [text, statement, count] of cases) {
    expect({ text, ...readStatementText(text) }).toMatchObject({ text, statement, count });
  }
});

test('what is bare has no texts and no quoted names', () => {
  expect(readStatementText('SELECT \'DELETE FROM x\', "INSERT" -- UPDATE\nFROM $$a$$').bare).toBe(
    'SELECT \'\', ""  \nFROM $$',
  );
});
