/** The minute at which a shop fails is found, wherever in a list that is. */
import { expect, test } from 'vitest';

import { TransientError } from '../../../src/model/errors.ts';
import { isolateFault } from '../../../src/shop-api/paging/isolate-fault.ts';
import { unknownProfile } from '../../../src/shop-api/paging/page-profile.ts';
import { PageFault } from '../../../src/shop-api/paging/request-page.ts';
import { windowText } from '../../../src/model/window.ts';
import { FakeShop, secondsOf } from './fake-shop.ts';
import { local, pagingDeps } from './read-one.ts';

const FIRST = secondsOf('2026-03-05T00:00');
/** One every ten minutes. */
const ORDERS = Array.from({ length: 100 }, (_, index) => ({ id: index + 1, created: FIRST + index * 600 }));

test.each([
  [19, 75, 'inclusive'],
  [19, 80, 'inclusive'],
  [57, 30, 'inclusive'],
  [19, 75, 'exclusive'],
] as const)(
  'an order on a page that begins at %i is found: %i, where dates are %s',
  async (start, id, ends) => {
    const shop = new FakeShop(ORDERS, { failsAt: { ids: [id] }, dateFrom: ends, dateTo: ends });
    const query = {
      dateFrom: local('2026-03-05T00:00'),
      dateTo: local('2026-03-05T23:59'),
      start,
      limit: 20,
    };
    const fault = new PageFault(new TransientError('HTTP 500'), query, undefined);
    const span = await isolateFault(pagingDeps(shop, unknownProfile(20)), fault);
    const minute = local('2026-03-05T00:00').add({ minutes: (id - 1) * 10 });
    // A filter that leaves its ends out shows the order of a minute only by dates around it.
    const [before, after] = ends === 'inclusive' ? [0, 1] : [1, 2];
    const around = { from: minute.subtract({ minutes: before }), to: minute.add({ minutes: after }) };
    expect(span && windowText(span)).toBe(windowText(around));
  },
);
