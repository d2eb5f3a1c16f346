import { databaseSentence, isDatabaseError } from '../warehouse/db/database-error.ts';

/**
 * Why something failed: a sentence without anything that an error may repeat. One of the database quotes the rows that it
 * refused.
 *
 * @param what failed, if nothing better is known
 */
export function plainReason(error: unknown, what: string): string {
  if (isDatabaseError(error)) return `the database: ${databaseSentence(error)}`;
  return `${what} (${error instanceof Error ? error.name : 'unknown error'})`;
}
