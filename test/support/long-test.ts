import { test } from 'vitest';

import { IS_LONG } from './long.ts';

/** A test that everyday runs do not know of. */
export const longTest: (name: string, work: () => Promise<void>) => void = IS_LONG ? test : () => undefined;
