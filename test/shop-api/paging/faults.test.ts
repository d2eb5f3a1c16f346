import { expect, test } from 'vitest';

import { findBounds, type FaultSpan, learnSpan, NO_FAULTS } from '../../../src/shop-api/paging/faults.ts';
import { EVER } from '../../../src/model/window.ts';
import { local } from './read-one.ts';

const span = (from: string, to: string): FaultSpan => ({
  from: local(from),
  to: local(to),
  reason: 'HTTP 500',
});
const texts = (spans: readonly FaultSpan[]) => spans.map(({ from, to }) => [from, to].join(' '));

test('two spans of a day become one, and more than two the day, so that a run meets few', () => {
  const one = learnSpan(NO_FAULTS, span('2026-03-01T12:30', '2026-03-01T12:31'));
  const other = learnSpan(one, span('2026-03-02T01:00', '2026-03-02T01:01'));
  expect(other.spans).toHaveLength(2);
  const two = learnSpan(one, span('2026-03-01T09:00', '2026-03-01T09:01'));
  expect(texts(two.spans)).toEqual(['2026-03-01T09:00:00 2026-03-01T12:31:00']);
  const newer = learnSpan(one, span('2026-03-01T15:00', '2026-03-01T15:01'));
  expect(texts(newer.spans)).toEqual(['2026-03-01T12:30:00 2026-03-01T15:01:00']);
  const three = learnSpan(two, span('2026-03-01T07:00', '2026-03-01T07:01'));
  expect(texts(three.spans)).toEqual(['2026-03-01T00:00:00 2026-03-02T00:00:00']);
});

test('a window is bounded by the spans on both sides of it; of one within it, the newer part is read first', () => {
  const older = learnSpan(NO_FAULTS, span('2026-03-01T12:30', '2026-03-01T12:31'));
  const faults = learnSpan(older, span('2026-03-05T12:30', '2026-03-05T12:31'));
  const bounds = (from: string, to: string) => {
    const found = findBounds(faults, { from: local(from), to: local(to) });
    return [found?.from?.toString(), found?.to?.toString()];
  };
  expect(bounds('2026-03-02', '2026-03-04')).toEqual(['2026-03-01T12:31:00', '2026-03-05T12:29:59']);
  expect(bounds('2026-03-02', '2026-03-07')).toEqual(['2026-03-05T12:31:00', undefined]);
  expect(bounds('2026-03-02', '2026-03-05T12:30'), 'a span right above it').toEqual([
    '2026-03-01T12:31:00',
    '2026-03-05T12:29:59',
  ]);
  expect(bounds('2026-02-02', '2026-03-01')).toEqual([undefined, '2026-03-01T12:29:59']);
  expect(findBounds(NO_FAULTS, EVER)).toBeUndefined();
});
