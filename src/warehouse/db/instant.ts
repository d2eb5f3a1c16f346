/** A timestamptz as PostgreSQL writes it, as an instant. */
export function parseInstant(text: string): Temporal.Instant;
export function parseInstant(text: string | null): Temporal.Instant | undefined;
export function parseInstant(text: string | null): Temporal.Instant | undefined {
  return text === null ? undefined : Temporal.Instant.from(text);
}

/** A timestamptz as PostgreSQL writes it, in ISO 8601: `2026-01-31T12:00:00.123Z`. */
export function toIso(text: string): string;
export function toIso(text: string | null): string | null;
export function toIso(text: string | null): string | null {
  return parseInstant(text)?.toString() ?? null;
}
