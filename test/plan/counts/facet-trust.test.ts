import { expect, test } from 'vitest';

import { addDoubt, askAgain, clearDoubt, type Doubt, setAside } from '../../../src/plan/counts/facets.ts';

const NOW = Temporal.Instant.from('2026-03-10T12:00:00Z');

test('the first contradiction may be chance; from the second on a facet is set aside, for longer each time, up to a week', () => {
  let doubts: readonly Doubt[] = [];
  const hours = Array.from({ length: 7 }, () => {
    doubts = addDoubt(doubts, 'status A', 'counts 3 orders', NOW);
    return doubts[0]?.until.since(NOW).total('hours');
  });
  expect(hours).toEqual([0, 1, 6, 36, 168, 168, 168]);
  expect(doubts).toHaveLength(1);
});

test('it is asked for again after that, and forgiven when it is right', () => {
  const twice = addDoubt(addDoubt([], 'status A', 'one', NOW), 'status A', 'two', NOW);
  const doubts = addDoubt(twice, 'status C', 'one', NOW);
  expect(setAside(doubts, NOW).map(({ facet }) => facet)).toEqual(['status A']);
  expect(setAside(doubts, NOW.add({ hours: 1 }))).toEqual([]);
  expect(clearDoubt(doubts, 'status A').map(({ facet }) => facet)).toEqual(['status C']);
});

test('after an audit all are asked for again, and those that are still wrong are set aside for longer', () => {
  const thrice = addDoubt(
    addDoubt(addDoubt([], 'status A', 'one', NOW), 'status A', 'two', NOW),
    'status A',
    'three',
    NOW,
  );
  const asked = askAgain(thrice, NOW.add({ minutes: 5 }));
  expect(setAside(asked, NOW.add({ minutes: 5 }))).toEqual([]);
  const [again] = addDoubt(asked, 'status A', 'four', NOW.add({ minutes: 6 }));
  expect(again?.until.since(NOW).total('minutes')).toBe(36 * 60 + 6);
});

test('what is asked for anyway is not held up by an audit', () => {
  const doubts = addDoubt([], 'status A', 'one', NOW);
  expect(askAgain(doubts, NOW.add({ minutes: 5 }))).toEqual(doubts);
});
