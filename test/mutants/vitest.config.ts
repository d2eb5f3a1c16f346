/** The unit tests of one room, whose folder the runner gives. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['pg', 'e2e', 'docker', 'citus'].map((kind) => `**/*.${kind}.test.ts`),
    globalSetup: ['test/support/seed-setup.ts'],
    setupFiles: ['test/support/seed.ts'],
  },
});
