/** What production installs, by the lockfile: from one registry, checked by hash, under licences that allow it. */
import { readFile } from 'node:fs/promises';

import { expect, test } from 'vitest';
import { z } from 'zod';

const ALLOWED = [
  'MIT',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  'BlueOak-1.0.0',
  '0BSD',
  'Unlicense',
  '(MIT OR CC0-1.0)',
];

const lockfile = z.object({
  packages: z.record(
    z.string(),
    z.object({
      dev: z.boolean().default(false),
      integrity: z.string().optional(),
      license: z.string().optional(),
      hasInstallScript: z.boolean().default(false),
      optional: z.boolean().default(false),
    }),
  ),
});

const text = await readFile(new URL('../../package-lock.json', import.meta.url), 'utf8');
const installed = Object.entries(lockfile.parse(JSON.parse(text)).packages).filter(
  ([path, { dev }]) => path !== '' && !dev,
);

test('every package of production has a licence that is allowed', () => {
  expect(installed.length).toBeGreaterThan(20);
  const others = installed.filter(([, { license = 'none' }]) => !ALLOWED.includes(license));
  expect(others.map(([path, { license }]) => `${path}: ${license}`)).toEqual([]);
});

test('every package of production is pinned by its hash, and needs no script to install it', () => {
  for (const [path, { integrity }] of installed) expect(integrity, path).toMatch(/^sha512-/);
  // The embedded PostgreSQL is optional: production brings its own.
  const scripted = installed.filter(([, { hasInstallScript, optional }]) => hasInstallScript && !optional);
  expect(scripted.map(([path]) => path)).toEqual([]);
});
