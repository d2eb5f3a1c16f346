import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 120_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.pg.test.ts', 'test/**/*.e2e.test.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'pg',
          include: ['test/**/*.pg.test.ts', 'test/**/*.e2e.test.ts'],
          globalSetup: ['test/support/database-setup.ts'],
        },
      },
    ],
  },
});
