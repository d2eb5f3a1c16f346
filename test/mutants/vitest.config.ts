/** The unit tests of one room, whose folder the runner gives. */
import { readFileSync } from 'node:fs';

import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The first test that fails is enough, so what takes longest comes last: long files, and random tests after all others. */
class ShortestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- the method of the sequencer
    const shortestFirst = (await super.sort(files)).toReversed();
    const isRandom = ({ moduleId }: TestSpecification) =>
      readFileSync(moduleId, 'utf8').includes('fc.assert');
    return shortestFirst.toSorted((one, other) => Number(isRandom(one)) - Number(isRandom(other)));
  }
}

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['pg', 'e2e', 'docker', 'citus'].map((kind) => `**/*.${kind}.test.ts`),
    sequence: { sequencer: ShortestFirst },
    // Of a test that waits in vain: endless loops end when the runner says so, by how long all tests took unchanged.
    testTimeout: 60_000,
    // Starting a worker for each file would take most of the time.
    isolate: false,
    globalSetup: ['test/support/seed-setup.ts'],
    setupFiles: ['test/support/seed.ts', 'test/support/temporal-equality.ts'],
  },
});
