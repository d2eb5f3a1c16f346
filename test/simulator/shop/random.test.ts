import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { Random } from '../../../src/simulator/shop/random.ts';

test('a sample is the beginning of the shuffled list', () => {
  fc.assert(
    fc.property(fc.array(fc.integer(), { maxLength: 60 }), fc.nat(70), fc.nat(), (list, count, seed) => {
      expect(new Random(seed).sample(list, count)).toEqual(new Random(seed).shuffled(list).slice(0, count));
    }),
  );
});
