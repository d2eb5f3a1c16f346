/** What the tests of a file share. */
import { afterAll, beforeAll } from 'vitest';

/** Opens something before the first test of a file and closes it after the last; it can be used in them, not before. */
export function forFile<Opened extends AsyncDisposable>(open: () => Promise<Opened>): Opened {
  let opened: Opened | undefined;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened?.[Symbol.asyncDispose]());
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- whatever is asked of it, the open one has
  return new Proxy({} as Opened, {
    get(_target, key) {
      if (opened === undefined) throw new Error('it is not open yet');
      return Reflect.get(opened, key) as unknown;
    },
    set: (_target, key, value) => opened !== undefined && Reflect.set(opened, key, value),
  });
}
