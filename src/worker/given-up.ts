/** How a sweep that failed is told apart from one whose worker died: pg-boss itself ends the job of a dead worker. */
import { z } from 'zod';

import { databaseSentence, isDatabaseError } from '../warehouse/db/database-error.ts';

/** @param reason why the last attempt failed; undefined if its worker did not say, since it died or lost the database */
export type GivenUp = (shopKey: string, reason: string | undefined) => Promise<void>;

class SweepFailure extends Error {
  override readonly name = 'SweepFailure';
}

const stored = z.object({ name: z.literal('SweepFailure'), message: z.string() });

/** pg-boss stores an error with all that hangs on it: one of the database quotes the rows that it refused. */
export function toStorable(error: unknown): Error {
  if (isDatabaseError(error)) return new SweepFailure(`the database: ${databaseSentence(error)}`);
  return new SweepFailure(`the sweep failed (${error instanceof Error ? error.name : 'unknown error'})`);
}

/** @param output of a job, as pg-boss stored it @returns undefined if its worker did not say how it ended */
export function readFailure(output: unknown): string | undefined {
  return stored.safeParse(output).data?.message;
}
