import { inject, type ProvidedContext } from 'vitest';

/**
 * What `database-setup.ts` made before the tests.
 *
 * @throws Error in a test that it is not made for
 */
export function provided<Key extends keyof ProvidedContext>(key: Key): ProvidedContext[Key] {
  const value: ProvidedContext[Key] | undefined = inject(key);
  if (value !== undefined) return value;
  throw new Error(
    'only tests whose file is named .pg.test.ts or .e2e.test.ts have a database and the built program: ' +
      'name the file .pg.test.ts or .e2e.test.ts',
  );
}
