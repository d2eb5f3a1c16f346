import { expect, test } from 'vitest';

import { addRequests, requestsOfLastDay } from '../../../src/sync/run/shop-state.ts';

const at = (text: string) => Temporal.Instant.from(`2026-03-${text}Z`);
const NONE = undefined;

test('requests of one hour are summed up', () => {
  const first = addRequests(NONE, 3, at('10T12:05'));
  expect(first).toEqual({ hour: at('10T12:00'), counts: [3] });
  expect(addRequests(first, 4, at('10T12:59'))).toEqual({ hour: at('10T12:00'), counts: [7] });
});

test('later hours move the earlier ones back, hours without requests included', () => {
  const first = addRequests(NONE, 3, at('10T12:05'));
  const later = addRequests(addRequests(first, 4, at('10T13:00')), 5, at('10T16:10'));
  expect(later).toEqual({ hour: at('10T16:00'), counts: [5, 0, 0, 4, 3] });
});

test('only 24 hours are kept, however long the pause', () => {
  const first = addRequests(NONE, 3, at('10T12:05'));
  const dayLater = addRequests(first, 1, at('11T11:59'));
  expect(dayLater?.counts).toEqual([1, ...Array.from({ length: 22 }, () => 0), 3]);
  expect(addRequests(first, 1, at('11T12:00'))?.counts).toEqual([1, ...Array.from({ length: 23 }, () => 0)]);
  expect(addRequests(first, 1, at('30T12:00'))?.counts).toHaveLength(24);
});

test('nothing changes without requests, and counts dated in the future are dropped', () => {
  const ahead = addRequests(NONE, 3, at('20T12:05'));
  expect(addRequests(ahead, 0, at('30T12:00'))).toEqual(ahead);
  expect(addRequests(ahead, 2, at('10T12:00'))).toEqual({ hour: at('10T12:00'), counts: [2] });
});

test('the last 24 hours end with the current one, whenever the last request was', () => {
  const last = (text: string) => requestsOfLastDay({ hour: at('10T12:00'), counts: [5, 4, 3] }, at(text));
  expect(['10T12:59', '10T14:00', '11T09:59', '11T10:00', '11T11:00', '11T12:00'].map(last)).toEqual([
    12, 12, 12, 9, 5, 0,
  ]);
  expect(requestsOfLastDay(NONE, at('10T12:00'))).toBe(0);
});
