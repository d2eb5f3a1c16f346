/** How the pages write times and ages. */
import { html } from 'hono/html';

import { counted, duration } from '../../amount-text.ts';
import { utcText } from '../../utc-text.ts';

/** Markup, with all text in it escaped. */
export type Html = ReturnType<typeof html>;

/** @param text a `timestamptz` as the database or JSON writes it */
export const parseMoment = (text: string) => Temporal.Instant.from(text);

/** UTC, whole seconds, without the zone: the pages say it once. */
export function moment(text: string | null): string {
  if (text === null) return '–';
  const second = parseMoment(text).round({ smallestUnit: 'second', roundingMode: 'floor' });
  return utcText(second).replace(' UTC', '');
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
