import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { diffWindow } from '../../../src/plan/orders/diff.ts';
import type { StoredOrder } from '../../../src/model/stored-order.ts';

const now = Temporal.Instant.from('2026-03-05T12:00:00Z');
const HOUR = 3_600_000;
const MAX_AGE_MS = 168 * HOUR;

const ago = (milliseconds: number) => now.subtract({ milliseconds });
const stored = (changes: Partial<StoredOrder> = {}): StoredOrder => ({
  orderId: '1',
  fingerprint: 'a',
  linesState: 'ok',
  linesAttempts: 0,
  linesFetchedAt: ago(1_000),
  isOpen: true,
  isMarked: false,
  isInWindow: true,
  ...changes,
});
const listed = [{ orderId: '1', fingerprint: 'a' }];
const nothing = { added: [], changed: [], linesDue: [], unchanged: [], missing: [], returned: [] };

test.each([
  ['new', [], { added: ['1'] }],
  ['as it was', [stored()], { unchanged: ['1'] }],
  ['changed', [stored({ fingerprint: 'b' })], { changed: ['1'] }],
  ['held in another window', [stored({ isInWindow: false })], { unchanged: ['1'] }],
  ['back, as it was', [stored({ isMarked: true })], { unchanged: ['1'], returned: ['1'] }],
  [
    'back, and its lines were never in',
    [stored({ isMarked: true, linesFetchedAt: undefined })],
    { unchanged: ['1'], returned: ['1'] },
  ],
  // Loading it takes the mark off.
  ['back and changed', [stored({ isMarked: true, fingerprint: 'b' })], { changed: ['1'] }],
])('a listed order that is %s', (_case, held, expected) => {
  expect(diffWindow(listed, held, MAX_AGE_MS, now)).toEqual({ ...nothing, ...expected });
});

test.each([
  ['is missing', stored(), ['1']],
  ['is not missing again where it is marked', stored({ isMarked: true }), []],
  ['is not missing where it lies outside', stored({ isInWindow: false }), []],
])('a held order that the walk did not return %s', (_case, order, missing) => {
  expect(diffWindow([], [order], MAX_AGE_MS, now)).toEqual({ ...nothing, missing });
});

test.each([
  { state: 'ok', ageMs: MAX_AGE_MS - 1, attempts: 0, isOpen: true, isDue: false },
  { state: 'ok', ageMs: MAX_AGE_MS, attempts: 0, isOpen: true, isDue: true },
  { state: 'ok', ageMs: MAX_AGE_MS * 100, attempts: 0, isOpen: false, isDue: false },
  { state: 'doubtful', ageMs: MAX_AGE_MS - 1, attempts: 0, isOpen: true, isDue: false },
  { state: 'doubtful', ageMs: MAX_AGE_MS, attempts: 9, isOpen: true, isDue: true },
  { state: 'doubtful', ageMs: MAX_AGE_MS * 100, attempts: 0, isOpen: false, isDue: false },
  // These are retried for themselves.
  { state: 'pending', ageMs: undefined, attempts: 0, isOpen: true, isDue: false },
  { state: 'failed', ageMs: MAX_AGE_MS, attempts: 3, isOpen: true, isDue: false },
] as const)(
  'lines $state after $attempts failures, asked $ageMs ms ago, order open $isOpen: due $isDue',
  ({ state, ageMs, attempts, isOpen, isDue }) => {
    const linesFetchedAt = ageMs === undefined ? undefined : ago(ageMs);
    const order = stored({ linesState: state, linesFetchedAt, linesAttempts: attempts, isOpen });
    expect(diffWindow(listed, [order], MAX_AGE_MS, now)).toEqual({
      ...nothing,
      [isDue ? 'linesDue' : 'unchanged']: ['1'],
    });
  },
);

const anyId = fc.integer({ min: 1, max: 30 }).map(String);
const anyPrint = fc.constantFrom('a', 'b');
const anyListed = fc.uniqueArray(fc.record({ orderId: anyId, fingerprint: anyPrint }), {
  selector: ({ orderId }) => orderId,
});
const anyStored = fc.uniqueArray(
  fc
    .record({
      orderId: anyId,
      fingerprint: anyPrint,
      linesState: fc.constantFrom('pending', 'ok', 'failed', 'doubtful'),
      linesAttempts: fc.nat(12),
      ageMs: fc.option(fc.nat(400 * HOUR)),
      isOpen: fc.boolean(),
      isMarked: fc.boolean(),
      isInWindow: fc.boolean(),
    })
    .map(({ ageMs, ...order }) => ({ ...order, linesFetchedAt: ageMs === null ? undefined : ago(ageMs) })),
  { selector: ({ orderId }) => orderId },
);

test('each listed order is in exactly one list, and missing are the live ones of the window that were not listed', () => {
  fc.assert(
    fc.property(anyListed, anyStored, (given, held) => {
      const diff = diffWindow(given, held, MAX_AGE_MS, now);
      const sorted = (ids: readonly string[]) => ids.toSorted();
      const ids = given.map(({ orderId }) => orderId);
      const heldAs = new Map(held.map((order) => [order.orderId, order]));
      expect(sorted([...diff.added, ...diff.changed, ...diff.linesDue, ...diff.unchanged])).toEqual(
        sorted(ids),
      );
      expect(sorted(diff.added)).toEqual(sorted(ids.filter((id) => !heldAs.has(id))));
      const isSame = (id: string, print: string) => heldAs.get(id)?.fingerprint === print;
      const same = given.filter(({ orderId, fingerprint }) => isSame(orderId, fingerprint));
      expect(sorted([...diff.linesDue, ...diff.unchanged])).toEqual(
        sorted(same.map(({ orderId }) => orderId)),
      );
      const marked = same.filter(({ orderId }) => heldAs.get(orderId)?.isMarked);
      expect(sorted(diff.returned)).toEqual(sorted(marked.map(({ orderId }) => orderId)));
      const gone = held.filter(
        (order) => order.isInWindow && !order.isMarked && !ids.includes(order.orderId),
      );
      expect(sorted(diff.missing)).toEqual(sorted(gone.map(({ orderId }) => orderId)));
    }),
  );
});
