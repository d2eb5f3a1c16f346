import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/docker/*.docker.test.ts'],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // They share one engine, and the names in the compose file.
    fileParallelism: false,
  },
});
