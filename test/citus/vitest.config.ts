import { configDefaults, defineConfig } from 'vitest/config';

import { SkippedTests } from '../support/skipped-tests.ts';

export default defineConfig({
  test: {
    include: ['test/citus/*.citus.test.ts'],
    // The single PostgreSQL that is compared with.
    globalSetup: process.env['CITUS_URL'] === undefined ? [] : ['test/support/database-setup.ts'],
    reporters: [...configDefaults.reporters, new SkippedTests()],
    testTimeout: 1_200_000,
    hookTimeout: 600_000,
    // They share one cluster.
    fileParallelism: false,
  },
});
