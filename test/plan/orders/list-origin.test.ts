import { expect, test } from 'vitest';

import { listOrigin, originBySamples } from '../../../src/plan/orders/list-origin.ts';

test.each([
  // Nothing came, or something that is held: no other shop.
  { held: 100, rows: 0, known: 0, isSeen: false, origin: 'ours' },
  { held: 100, rows: 120, known: 1, isSeen: false, origin: 'ours' },
  { held: 20, rows: 5, known: 0, isSeen: true, origin: 'unclear' },
  { held: 21, rows: 1, known: 0, isSeen: true, origin: 'foreign' },
  { held: 3, rows: 1, known: 0, isSeen: true, origin: 'unclear' },
  { held: 2, rows: 2, known: 0, isSeen: true, origin: 'ours' },
  { held: 2, rows: 2, known: 0, isSeen: false, origin: 'unclear' },
  { held: 0, rows: 2, known: 0, isSeen: false, origin: 'unclear' },
  { held: 0, rows: 1, known: 0, isSeen: false, origin: 'ours' },
] as const)('$held held, $rows listed, $known of them known: $origin', (given) => {
  const { held, rows, known, isSeen, origin } = given;
  expect(listOrigin(held, rows, known, isSeen)).toBe(origin);
});

test.each([
  { held: 20, samples: 1, isListed: true, isLater: false, origin: 'ours' },
  { held: 3, samples: 0, isListed: false, isLater: false, origin: 'foreign' },
  { held: 3, samples: 2, isListed: false, isLater: true, origin: 'ours' },
  { held: 3, samples: 3, isListed: false, isLater: true, origin: 'foreign' },
  { held: 2, samples: 2, isListed: false, isLater: false, origin: 'ours' },
  { held: 0, samples: 3, isListed: false, isLater: false, origin: 'foreign' },
] as const)(
  '$held held, $samples asked for elsewhere, one of them listed: $isListed, all later: $isLater: $origin',
  ({ held, samples, isListed, isLater, origin }) => {
    expect(originBySamples(held, samples, isListed, isLater)).toBe(origin);
  },
);
