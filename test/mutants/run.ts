/**
 * Changes a room of `src` in small ways, one at a time, and counts how many of the changes its own unit tests notice:
 * `npm run test:mutants -- plan`, or a part of a room, as in `shop-api/paging`.
 */
import { existsSync } from 'node:fs';
import { setPriority } from 'node:os';

import { Stryker } from '@stryker-mutator/core';

const room = process.argv[2] ?? '';
/** Files of the room to look at alone, as in `after-window`. */
const files = process.argv.slice(3);

if (room === '' || !existsSync(`src/${room}`) || !existsSync(`test/${room}`)) {
  process.stderr.write(`"${room}" is not a folder of both src and test: npm run test:mutants -- plan\n`);
  process.exitCode = 2;
} else {
  setPriority(10);
  const report = `coverage/mutants/${files.length === 0 ? room.replaceAll('/', '-') : 'files'}`;
  const stryker = new Stryker({
    mutate: files.length === 0 ? [`src/${room}/**/*.ts`] : files.map((file) => `src/${room}/**/${file}.ts`),
    testRunner: 'vitest',
    vitest: { configFile: 'test/mutants/vitest.config.ts', dir: `test/${room}` },
    // Types are checked elsewhere, and this version of TypeScript has no API that it could use.
    tsconfigFile: 'none',
    disableTypeChecks: false,
    concurrency: 2,
    // What takes longer counts as noticed, as an endless loop: no pause of the machine may look like one.
    timeoutMS: 15_000,
    dryRunTimeoutMinutes: 60,
    reporters: ['progress-append-only', 'clear-text', 'html', 'json'],
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
    htmlReporter: { fileName: `${report}.html` },
    jsonReporter: { fileName: `${report}.json` },
    ignorePatterns: ['coverage', 'dist*', 'deploy', 'dbt', 'bench'],
    tempDirName: 'coverage/mutants/sandbox',
  });
  await stryker.runMutationTest();
}
