/** Before the tests: the seed of all that fast-check makes up, the same for every project and process. */
import { randomInt } from 'node:crypto';
import { IS_LONG } from './long.ts';

const EVERYDAY_SEED = '20261122';

/** Everyday runs are the same ones each time; the long ones are others. `FC_SEED` chooses. */
export function setup(): void {
  if (process.env['FC_SEED'] !== undefined) return;
  const seed = IS_LONG ? String(randomInt(2 ** 31)) : EVERYDAY_SEED;
  // The processes of the tests inherit it.
  process.env['FC_SEED'] = seed;
  process.stdout.write(`random tests: FC_SEED=${seed}\n`);
}
