/** In which order of time a list comes, page by page. */
import { expect, test } from 'vitest';

import { addRows, NO_ENDS, openSides } from '../../../src/shop-api/paging/list-ends.ts';
import { local } from './read-one.ts';

/** Each page by the hours at which its orders were created. */
function endsOf(...pages: readonly (readonly number[])[]) {
  const placed = pages.map((hours) =>
    hours.map((hour) => ({ orderId: String(hour), time: local('2026-03-05T00:00').add({ hours: hour }) })),
  );
  return placed.reduce(addRows, NO_ENDS);
}

test.each([
  ['newest first', [[9, 8], [8, 7], [6]], ['below']],
  ['oldest first', [[6], [7, 8], [8, 9]], ['above']],
  ['newest first on each page alone', [[6, 5], [9, 8], [3]], ['below', 'above']],
  ['newest first, but for a row of a later page', [[9, 8], [8, 6], [7]], ['below', 'above']],
  ['oldest first on each page alone', [[5, 6], [8, 9], [3]], ['below', 'above']],
] as const)('a list that comes %s may go on at its last end, or at both', (_how, pages, sides) => {
  expect(openSides(endsOf(...pages), { from: undefined, to: undefined })).toEqual(sides);
});
