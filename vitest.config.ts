import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Tests wait for processes and databases more than they compute: two cores have work for three files.
    maxWorkers: '150%',
    // Files keep nothing in modules, and a process for each of them costs as much as most of them take.
    isolate: false,
    // For what would never end; a busy machine is merely slow.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['pg', 'e2e', 'docker', 'citus'].map((kind) => `test/**/*.${kind}.test.ts`),
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
