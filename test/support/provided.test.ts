import { expect, test } from 'vitest';

import { runCommand } from './command-line.ts';
import { freshDatabase } from './database.ts';

test('a test that needs the database or the built program is told how to name its file', async () => {
  await expect(freshDatabase()).rejects.toThrow('name the file .pg.test.ts or .e2e.test.ts');
  await expect(runCommand(['--help'], {})).rejects.toThrow('name the file .pg.test.ts or .e2e.test.ts');
});
