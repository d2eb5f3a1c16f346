/** How numbers of things, durations, instants and sentences are written for people, in a terminal, on a page and in an alert alike. */

/** 12345.6 -> `12,346` */
export const grouped = (count: number) => count.toLocaleString('en', { maximumFractionDigits: 0 });

/** `1 day`, `1,234 days`. */
export const counted = (count: number, noun: string) => `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;

const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1000, 's'],
] as const;

/** A duration in its largest units, rounded down: `3 h`. @param units how many at most: `3 h 20 min` has two */
export function duration(ms: number, units = 1): string {
  let rest = ms;
  const parts = UNITS.flatMap(([size, unit]) => {
    const count = Math.floor(rest / size);
    if (count <= 0) return [];
    rest -= count * size;
    return [`${grouped(count)} ${unit}`];
  });
  return parts.slice(0, units).join(' ') || '0 s';
}

/** An approximate duration, in the unit in which it is less than ninety. */
export function roughDuration(seconds: number): string {
  const unit = [1, 60].find((size) => seconds < 90 * size) ?? 3600;
  return duration(Math.max(1, Math.round(seconds / unit) * unit) * 1000, 2);
}

/** The same as a clock shows it: `h:mm:ss` or `m:ss`. */
export function clock(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const two = (part: number) => String(part).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const tail = two(seconds % 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${tail}` : `${minutes}:${tail}`;
}

/** An instant for people, to the second: `2026-01-31 12:00:00 UTC`. */
export function utcText(instant: Temporal.Instant): string {
  const text = instant.toString({ smallestUnit: 'second', roundingMode: 'ceil' });
  return text.replace('T', ' ').replace('Z', ' UTC');
}

/** The minute that begins at an instant or after it: `12:05 UTC`. */
export function minuteText(instant: Temporal.Instant): string {
  const minute = instant.round({ smallestUnit: 'minute', roundingMode: 'ceil' });
  return `${minute.toString().slice(11, 16)} UTC`;
}

/** A message as a sentence of its own: it begins with a capital and ends with a full stop, unless it does with another mark. */
export function sentence(text: string): string {
  const ended = /[.!?]$/.test(text) ? text : `${text}.`;
  return /^[a-z]+[ ,:]/.test(ended) ? `${ended.charAt(0).toUpperCase()}${ended.slice(1)}` : ended;
}
