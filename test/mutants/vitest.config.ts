/** The unit tests of one room, whose folder the runner gives. */
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The first test that fails is enough, so what takes longest comes last. */
class ShortestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- the method of the sequencer
    return (await super.sort(files)).toReversed();
  }
}

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['pg', 'e2e', 'docker', 'citus'].map((kind) => `**/*.${kind}.test.ts`),
    sequence: { sequencer: ShortestFirst },
    // The runner decides what takes too long, by how long it took unchanged.
    testTimeout: 300_000,
    // Starting a worker for each file would take most of the time.
    isolate: false,
    globalSetup: ['test/support/seed-setup.ts'],
    setupFiles: ['test/support/seed.ts', 'test/support/temporal-equality.ts'],
  },
});
