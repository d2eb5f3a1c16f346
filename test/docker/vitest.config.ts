import { configDefaults, defineConfig } from 'vitest/config';

import { SkippedTests } from '../support/skipped-tests.ts';

export default defineConfig({
  test: {
    include: ['test/docker/*.docker.test.ts'],
    reporters: [...configDefaults.reporters, new SkippedTests()],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // They share one engine, and the names in the compose file.
    fileParallelism: false,
  },
});
