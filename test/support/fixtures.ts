/** Tests that ask for what they need by its name: it is opened for them, and closed when they end. */
import { test as plain } from 'vitest';

import { openTestWarehouse, type TestWarehouse } from '../warehouse/test-warehouse.ts';
import { inOwnWarehouse, inWarehouse, type Opened } from './sweep.ts';

type Given = {
  readonly $file: {
    /** One for all tests of the file, each of which has shops of its own in it. */
    readonly warehouse: TestWarehouse;
  };
  readonly $test: {
    /** A warehouse that the tests of a file use in turn. */
    readonly shared: Opened;
    /** A warehouse of the test's own: for what changes tables, or looks at all of them. */
    readonly own: Opened;
  };
};

/* oxlint-disable no-empty-pattern -- it is from there that the runner learns what a fixture needs */
export const test = plain.extend<Given>({
  warehouse: [
    async ({}, use) => {
      await using warehouse = await openTestWarehouse();
      await use(warehouse);
    },
    { scope: 'file' },
  ],
  shared: async ({}, use) => inWarehouse(use),
  own: async ({}, use) => inOwnWarehouse(use),
});
