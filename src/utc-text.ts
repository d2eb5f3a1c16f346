/** An instant for people, to the second: `2026-01-31 12:00:00 UTC`. */
export function utcText(instant: Temporal.Instant): string {
  const text = instant.toString({ smallestUnit: 'second', roundingMode: 'ceil' });
  return text.replace('T', ' ').replace('Z', ' UTC');
}
