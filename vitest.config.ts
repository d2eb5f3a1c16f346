import { availableParallelism } from 'node:os';

import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

import { IS_LONG } from './test/support/long.ts';
import { testTimeoutMs } from './test/support/patience.ts';
import { SkippedTests } from './test/support/skipped-tests.ts';

/** In a fresh clone nothing says how long files take. What takes longest starts first, or the end waits for it alone. */
const LONGEST = new RegExp(
  [
    'dbt.pg|open-embedded|demo.e2e|trouble.e2e|run-commands|canaries.e2e|two-weeks|crash.e2e|fencing',
    'sync/record|audit-progress|day-parts|export.pg',
    'hostile-model|lying-shops|dialect-sweeps|fault-sweeps|false-empties|doubtful-lines|identity',
    'refresh-summaries|forget.pg|pseudonymize|forgotten-persons|answers|shutdown|init.e2e',
    'http-client|http/retries|walk-odd-shop|walk-moving-list|fault-matrix|nginx|huge-values|normalize/hostile',
  ].join('|'),
);

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => LONGEST.test(moduleId);
    // oxlint-disable-next-line unicorn/no-array-sort -- the method of the sequencer
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/** Files of `npm run test:long` alone. */
const LONG = IS_LONG ? [] : ['test/**/*.long.*'];

export default defineConfig({
  test: {
    // Files keep nothing in modules, and a process for each of them costs as much as most of them take. A process goes on
    // with the next file only where that is of the same project, so the projects run one after the other.
    isolate: false,
    // For what would never end, which each wait of a test says sooner.
    testTimeout: testTimeoutMs(),
    hookTimeout: testTimeoutMs(),
    reporters: [...configDefaults.reporters, new SkippedTests()],
    sequence: { sequencer: LongestFirst },
    globalSetup: ['test/support/foreign-machine.ts', 'test/support/seed-setup.ts'],
    setupFiles: ['test/support/seed.ts', 'test/support/temporal-equality.ts', 'test/support/end-children.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          // Some wait, as clients do.
          maxWorkers: availableParallelism() * 2,
          sequence: { groupOrder: 2 },
          include: ['test/**/*.test.ts'],
          exclude: [...['pg', 'e2e', 'docker', 'citus'].map((kind) => `test/**/*.${kind}.test.ts`), ...LONG],
        },
      },
      {
        extends: true,
        test: {
          name: 'pg',
          // Its tests also wait, for processes, retries and the database. With more files at once they take longer: each
          // process has the program to compile, and what they share of the processor's caches becomes less.
          maxWorkers: availableParallelism() + 2,
          sequence: { groupOrder: 1 },
          include: ['test/**/*.pg.test.ts', 'test/**/*.e2e.test.ts'],
          exclude: LONG,
          globalSetup: ['test/support/database-setup.ts'],
          setupFiles: ['test/support/keep-plans.ts'],
        },
      },
    ],
  },
});
