/** The minute at which a shop fails is found, wherever in a list that is. */
import { expect, test } from 'vitest';

import { TransientError } from '../../../src/errors.ts';
import { isolateFault } from '../../../src/shop-api/paging/isolate-fault.ts';
import { unknownProfile } from '../../../src/shop-api/paging/page-profile.ts';
import { PageFault } from '../../../src/shop-api/paging/request-page.ts';
import { windowText } from '../../../src/window.ts';
import { FakeShop, secondsOf } from './fake-shop.ts';
import { local, pagingDeps } from './read-one.ts';

const FIRST = secondsOf('2026-03-05T00:00');
/** One every ten minutes. */
const ORDERS = Array.from({ length: 100 }, (_, index) => ({ id: index + 1, created: FIRST + index * 600 }));

test.each([
  [19, 75],
  [19, 80],
  [57, 30],
])('an order on a page that begins at %i is found', async (start, id) => {
  const shop = new FakeShop(ORDERS, { failsAt: { ids: [id] } });
  const query = { dateFrom: local('2026-03-05T00:00'), dateTo: local('2026-03-05T23:59'), start, limit: 20 };
  const fault = new PageFault(new TransientError('HTTP 500'), query, undefined);
  const span = await isolateFault(pagingDeps(shop, unknownProfile(20)), fault);
  const minute = local('2026-03-05T00:00').add({ minutes: (id - 1) * 10 });
  expect(span && windowText(span)).toBe(windowText({ from: minute, to: minute.add({ minutes: 1 }) }));
});
