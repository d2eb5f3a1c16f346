/** How numbers of things and durations are written for people, in a terminal and on a page alike. */

export const grouped = (count: number) => count.toLocaleString('en');

/** `1 day`, `1,234 days`. */
export const counted = (count: number, noun: string) => `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;

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
