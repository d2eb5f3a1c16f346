/** How the pages write numbers, times and durations. */
import { html } from 'hono/html';

import { utcText } from '../../sync/run/throttle-state.ts';

/** Markup, with all text in it escaped. */
export type Html = ReturnType<typeof html>;

export const grouped = (count: number) => count.toLocaleString('en');

/** `1 day`, `1,234 days`. */
export const counted = (count: number, noun: string) => `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;

/** @param text a `timestamptz` as the database or JSON writes it */
export const parseMoment = (text: string) => Temporal.Instant.from(text);

/** UTC, whole seconds, without the zone: the pages say it once. */
export function moment(text: string | null): string {
  if (text === null) return '–';
  const second = parseMoment(text).round({ smallestUnit: 'second', roundingMode: 'floor' });
  return utcText(second).replace(' UTC', '');
}

const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1000, 's'],
] as const;

/** A duration in its largest unit, rounded down: `3 h`. */
export function duration(ms: number): string {
  const [size, unit] = UNITS.find(([size]) => ms >= size) ?? [1000, 's'];
  return `${grouped(Math.max(0, Math.floor(ms / size)))} ${unit}`;
}

/** How long ago something was; the exact time shows on hovering. */
export function ago(text: string | null, now: Temporal.Instant): Html | string {
  if (text === null) return '–';
  const ms = now.since(parseMoment(text)).total('milliseconds');
  return html`<time datetime="${parseMoment(text).toString()}" title="${moment(text)} UTC"
    >${duration(ms)} ago</time
  >`;
}

/** Our own text, in which backticks enclose what is to be typed. */
export function withCode(text: string): readonly (Html | string)[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
}

/** Ages of days for people: both in days, today is 0. */
export function ageText(fromAge: number, toAge: number | undefined): string {
  if (toAge === undefined) return fromAge === 0 ? 'all days' : `${fromAge} days and older`;
  if (fromAge === 0 && toAge === 0) return 'today';
  if (fromAge === 0 && toAge === 1) return 'today and yesterday';
  return fromAge === 0 ? `up to ${counted(toAge, 'day')} old` : `${fromAge} to ${toAge} days old`;
}
