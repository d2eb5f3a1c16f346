import { expect, test } from 'vitest';

import { guessZone, placedText } from '../../../src/plan/clock/clock-skew.ts';

const NOW = Temporal.Instant.from('2026-03-05T12:00:00Z');
const local = (time: string) => Temporal.PlainDateTime.from(`2026-03-05T${time}`);

test.each([
  ['of its address', '14:48', 'shop.example.ru', 'Europe/Moscow'],
  ['of its address, though the last order is hours old', '09:00', 'shop.example.ru', 'Europe/Moscow'],
  ['nobody knows, where its newest order is of the future there', '16:55', 'shop.example.ru', undefined],
  ['nobody knows, where its address says nothing', '12:50', 'shop.example', undefined],
])('the zone of a shop is that %s', (_name, newest, host, zone) => {
  expect(guessZone(local(newest), NOW, host)).toBe(zone);
});

test('a shop without orders is taken to be where its address is', () => {
  expect(guessZone(undefined, NOW, 'shop.de')).toBe('Europe/Berlin');
  expect(guessZone(undefined, NOW, '127.0.0.1')).toBeUndefined();
  expect(placedText(undefined, NOW, 'UTC')).toBeUndefined();
});

test('the time of the newest order in a zone is described so that a person can judge it', () => {
  const said = (time: string, zone: string) => placedText(Temporal.PlainDateTime.from(time), NOW, zone);
  expect(said('2026-03-05T11:00', 'UTC')).toBe('In UTC the newest order, 5 Mar 11:00, was placed 1 h ago');
  expect(said('2026-02-05T11:00', 'UTC')).toBe('In UTC the newest order, 5 Feb 11:00, was placed 28 d ago');
  expect(said('2026-03-05T14:30', 'UTC')).toBe(
    'In UTC the newest order, 5 Mar 14:30, would be placed 2 h from now',
  );
});

test.each([
  ...['at', 'by', 'ch', 'cz', 'de', 'ee', 'fr', 'kz', 'lt', 'lv', 'md', 'pl', 'ru', 'ua', 'uz'].map(
    (ending) => ({
      ending,
      country: ending.toUpperCase(),
    }),
  ),
  { ending: 'uk', country: 'GB' },
  { ending: 'su', country: 'RU' },
  { ending: 'xn--p1ai', country: 'RU' },
])('a shop whose address ends in $ending is taken to be in $country', ({ ending, country }) => {
  const zone = guessZone(undefined, NOW, `shop.example.${ending}`) ?? 'none';
  const guessed = NOW.toZonedDateTimeISO(zone);
  const zones = new Intl.Locale('und', { region: country }).getTimeZones() ?? [];
  // A zone may have two names.
  expect(zones.some((name) => NOW.toZonedDateTimeISO(name).equals(guessed))).toBe(true);
});
