import { expect, test } from 'vitest';

import { proveWindow } from '../../../src/shop-api/paging/prove.ts';
import { FakeShop, secondsOf } from './fake-shop.ts';
import { asked, knownAt, pagingDeps } from './read-one.ts';
import { ascending } from './read-all.ts';

test.each(['desc', 'asc'] as const)(
  'where a %s list moved while it was read, what the next reading shows counts, and when that began',
  async (listOrder) => {
    const start = secondsOf('2026-03-10T01:00');
    const placed = Array.from({ length: 30 }, (_, index) => ({
      id: index + 1,
      created: start + index * 1800,
    }));
    const around = [-9, -8, 60, 61].map((step, index) => ({ id: 900 + index, created: start + step * 3600 }));
    const [first, moved] = listOrder === 'desc' ? [30, 28] : [1, 3];
    const to = start + 14.6 * 1800;
    const shop = new FakeShop([...placed, ...around], {
      cap: 10,
      listOrder,
      total: 'absent',
      before({ requests }) {
        if (requests !== 2) return;
        // Both came with the first page.
        shop.remove(first);
        shop.remove(moved);
        shop.insert({ id: moved, created: to });
      },
    });
    const began = Temporal.Instant.from('2026-03-20T12:00:00Z');
    const deps = { ...pagingDeps(shop), witnesses: knownAt('2026-03-09T17:00', '2026-03-12T13:00') };
    const now = () => began.add({ seconds: shop.requests });
    const reading = await proveWindow({ ...deps, now }, asked('2026-03-10T00:00', '2026-03-11T00:00'));
    if (reading.kind !== 'whole') throw new Error(`it is ${reading.kind}`);
    const minutes = new Map(reading.rows.map(({ orderId, raw }) => [Number(orderId), raw['time']]));
    expect(ascending(minutes.keys())).toEqual(placed.map(({ id }) => id).filter((id) => id !== first));
    expect(minutes.get(moved)).toBe('08:18');
    expect(reading.requestedAt.since(began).total('seconds')).toBeGreaterThanOrEqual(2);
  },
);
