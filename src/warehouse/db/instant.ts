/** A timestamptz as PostgreSQL writes it, as an instant. */
export function parseInstant(text: string): Temporal.Instant;
export function parseInstant(text: string | null): Temporal.Instant | undefined;
export function parseInstant(text: string | null): Temporal.Instant | undefined {
  return text === null ? undefined : Temporal.Instant.from(text);
}
