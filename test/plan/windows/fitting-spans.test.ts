import { describe, expect, test } from 'vitest';

import { fittingSpans } from '../../../src/plan/windows/fitting-spans.ts';
import { EVER, type Window, windowText } from '../../../src/window.ts';

const time = (text: string) => Temporal.PlainDateTime.from(`2026-03-10T${text}`);
const times = (...texts: string[]) => texts.map(time);
const WINDOW: Window = { from: time('08:00'), to: time('12:00') };
const spans = (sample: readonly Temporal.PlainDateTime[], window = WINDOW) =>
  fittingSpans(window, sample).map((span) => windowText(span).replaceAll('2026-03-10T', ''));

describe('a page that is sorted by date', () => {
  test('newest first, holds all but the minute of its last row', () => {
    expect(spans(times('11:00', '10:00', '09:00', '08:30'))).toEqual(['08:31 to 12:00']);
    expect(spans(times('11:00', '10:00', '09:00', '08:30'), EVER)).toEqual(['since 08:31']);
  });

  test('oldest first, holds all up to the minute before the one of its last row', () => {
    expect(spans(times('08:30', '09:00', '10:00', '11:00'))).toEqual(['08:00 to 10:59']);
    expect(spans(times('08:30', '09:00', '10:00'), { ...WINDOW, from: EVER.from })).toEqual(['before 09:59']);
    expect(spans(times('11:57', '11:58', '11:59'), { ...WINDOW, to: EVER.to })).toEqual(['08:00 to 11:58']);
  });

  test('newest first by its place in the window, though its rows come by their number', () => {
    expect(spans(times('11:00', '11:30', '11:59'))).toEqual(['11:01 to 12:00']);
    expect(spans(times('10:00', '11:59')), 'nearer to the end').toEqual(['10:00 to 10:01', '10:01 to 12:00']);
    expect(spans(times('08:00', '10:00'))).toEqual(['08:00 to 09:59', '10:00 to 10:01']);
    expect(spans(times('10:00', '10:00')), 'in the middle').toEqual(['10:00 to 10:01', '10:01 to 12:00']);
  });

  test.each([
    {
      name: 'half',
      sample: times('11:00', '10:00', '09:00', '09:00'),
      is: ['09:00 to 09:01', '09:01 to 12:00'],
    },
    { name: 'less', sample: times('11:00', '10:30', '10:00', '09:00', '09:00'), is: ['09:01 to 12:00'] },
  ])('a minute that filled $name of it', ({ sample, is }) => {
    expect(spans(sample)).toEqual(is);
  });
});

test('a page of the minute after an inclusive end tells that there are no rows in the last minute', () => {
  expect(spans(times('12:00', '12:00'))).toEqual(['11:59 to 12:00']);
});

test.each([
  { name: 'no rows', sample: [] },
  { name: 'rows in no order', sample: times('09:00', '11:00', '08:30') },
  { name: 'rows from before it', sample: times('07:30', '07:20') },
])('$name: nothing is known to fit', ({ sample }) => {
  expect(spans(sample)).toEqual([]);
});

test('a part is smaller than the window', () => {
  const minute = { from: time('11:59'), to: time('12:00') };
  expect(spans(times('11:59', '11:59'), minute)).toEqual([]);
  expect(spans(times('11:58', '11:57', '07:59'), minute)).toEqual([]);
});
