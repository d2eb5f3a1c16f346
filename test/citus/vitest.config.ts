import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/citus/*.citus.test.ts'],
    // The single PostgreSQL that is compared with.
    globalSetup: process.env['CITUS_URL'] === undefined ? [] : ['test/support/database-setup.ts'],
    testTimeout: 1_200_000,
    hookTimeout: 600_000,
    // They share one cluster.
    fileParallelism: false,
  },
});
