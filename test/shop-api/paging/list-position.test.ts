import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { isJoined, LIST_START, nextPosition, skipRow } from '../../../src/shop-api/paging/read-shop-list.ts';

const ROWS = 10;
const EMPTY = { malformed: [], keys: [], isKeyed: false, total: undefined };
const ids = (count: number) => Array.from({ length: count }, (_, index) => String(index + 1));

function moveOn(at: typeof LIST_START, ids: readonly string[]) {
  const page = { ...EMPTY, received: ids.length, rows: ids.map((orderId) => ({ orderId, raw: {} })) };
  return nextPosition(at, page, isJoined(at, page));
}

/**
 * Reads a list to its end.
 *
 * @param serve the list at each page
 * @param failing rows whose pages fail
 */
function readAll(serve: (page: number) => readonly string[], failing: readonly string[] = []) {
  const seen = new Set<string>();
  let pages = 0;
  for (let at = LIST_START; ; pages++) {
    expect(pages).toBeLessThan(500);
    const list = serve(pages);
    let page = list.slice(at.start, at.start + ROWS);
    if (page.some((id) => failing.includes(id))) page = list.slice(at.start, at.start + 2);
    if (page.some((id) => failing.includes(id))) {
      at = skipRow(at);
      continue;
    }
    for (const id of page) seen.add(id);
    const next = moveOn(at, page);
    if (next === undefined) return { seen, pages: pages + 1 };
    at = next;
  }
}

test('each page begins with the last row of the one before it, and the list ends where that comes alone', () => {
  expect(readAll(() => ids(28))).toEqual({ seen: new Set(ids(28)), pages: 4 });
  expect(readAll(() => ids(29)).pages).toBe(5);
  expect(readAll(() => ids(1))).toEqual({ seen: new Set(['1']), pages: 1 });
  expect(readAll(() => []).pages).toBe(1);
});

test('where rows left the part that was read, it goes a page back, and none that stay are missed', () => {
  const removed = fc.uniqueArray(fc.nat(89), { maxLength: ROWS - 2 });
  fc.assert(
    fc.property(removed, fc.nat(12), (gone, when) => {
      const all = ids(90);
      const left = all.filter((_, index) => !gone.includes(index));
      const { seen } = readAll((page) => (page < when ? all : left));
      expect(left.filter((id) => !seen.has(id))).toEqual([]);
    }),
  );
});

test('orders that come before the part that was read, or behind it, let none be missed', () => {
  fc.assert(
    fc.property(fc.boolean(), fc.nat(3), (isNewestFirst, each) => {
      const serve = (page: number) => {
        const fresh = Array.from({ length: page * each }, (_, index) => `new ${index}`);
        return isNewestFirst ? [...fresh.toReversed(), ...ids(90)] : [...ids(90), ...fresh];
      };
      const { seen } = readAll((page) => serve(Math.min(page, 20)));
      expect(ids(90).filter((id) => !seen.has(id))).toEqual([]);
    }),
  );
});

test('a list in another order at each request ends, too, and so does one of a shop that ignores the position', () => {
  let seed = 1;
  const random = () => (seed = (seed * 16_807) % 2_147_483_647);
  const shuffled = () =>
    ids(90)
      .map((id) => ({ id, at: random() }))
      .toSorted((one, other) => one.at - other.at)
      .map(({ id }) => id);
  expect(readAll(shuffled).pages).toBeLessThan(60);
  const at = moveOn(LIST_START, ids(ROWS));
  expect(at && moveOn(at, ids(ROWS))).toBeUndefined();
});

test('a row that makes pages fail is skipped, and those around it are not', () => {
  for (const failing of [1, 2, 11, 20, 28]) {
    const { seen } = readAll(() => ids(28), [String(failing)]);
    const missed = ids(28).filter((id) => !seen.has(id));
    // Of the first two rows, nothing tells which one it is.
    expect(missed, `${failing}`).toEqual(failing === 2 ? ['1', '2'] : [String(failing)]);
  }
});
