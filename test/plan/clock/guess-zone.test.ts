import { expect, test } from 'vitest';

import { guessZone } from '../../../src/plan/clock/guess-zone.ts';

const NOW = Temporal.Instant.from('2026-03-05T12:00:00Z');
const local = (time: string) => Temporal.PlainDateTime.from(`2026-03-05T${time}`);

test.each([
  ['the zone of its address', '14:48', 'shop.example.ru', 'UTC', 'Europe/Moscow', 12],
  ['that of this machine', '12:50', 'shop.example', 'Europe/Berlin', 'Europe/Berlin', 10],
  [
    'not a zone in which its newest order is of the future',
    '16:55',
    'shop.example.ru',
    'UTC',
    'Asia/Yekaterinburg',
    5,
  ],
  ['a zone of half hours', '17:25', 'shop.example', 'Europe/Berlin', 'Asia/Kolkata', 5],
  [
    'its own zone, though the last order is hours old',
    '09:00',
    'shop.example.ru',
    'UTC',
    'Europe/Moscow',
    360,
  ],
])('a shop is taken to be in %s', (_name, newest, host, machine, zone, orderMinutesAgo) => {
  expect(guessZone(local(newest), NOW, host, machine)).toEqual({ zone, orderMinutesAgo });
});

test('a shop without orders is taken to be where its address or this machine is', () => {
  expect(guessZone(undefined, NOW, 'shop.de', 'UTC')).toEqual({
    zone: 'Europe/Berlin',
    orderMinutesAgo: undefined,
  });
  expect(guessZone(undefined, NOW, '127.0.0.1', 'Asia/Tokyo').zone).toBe('Asia/Tokyo');
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
  const { zone } = guessZone(undefined, NOW, `shop.example.${ending}`, 'Antarctica/Troll');
  const guessed = NOW.toZonedDateTimeISO(zone);
  const zones = new Intl.Locale('und', { region: country }).getTimeZones() ?? [];
  // A zone may have two names.
  expect(zones.some((name) => NOW.toZonedDateTimeISO(name).equals(guessed))).toBe(true);
});
