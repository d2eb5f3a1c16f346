/** What the queue holds of sweeps: in which order they are taken, and how one that failed is told from one whose worker died. */
import { createHash } from 'node:crypto';

import type { WorkOptions } from 'pg-boss';
import { z } from 'zod';

import { databaseSentence, isDatabaseError } from '../warehouse/db/database-error.ts';

/** How a sweep is ranked: of a shop that was never swept, of what is due, or the rest of a long one, such as a first load. */
type Urgency = 'new' | 'due' | 'rest';

/** pg-boss takes higher numbers first. */
const PRIORITY: Readonly<Record<Urgency, number>> = { new: 2, due: 1, rest: 0 };

export type QueuedSweep = { readonly shopKey: string; readonly urgency: Urgency };

export type SlotOrder = Pick<WorkOptions, 'minPriority' | 'maxPriority' | 'priority'>;

/**
 * What each slot of a worker takes: what ranks highest, except that the second slot is kept free for what is due, since
 * long sweeps may take all the others, and the third takes the oldest, so that long sweeps get on even if something is
 * always due.
 */
export function slotOrders(slots: number): readonly SlotOrder[] {
  return Array.from({ length: slots }, (_, slot) => {
    if (slot === 1) return { minPriority: PRIORITY.due, maxPriority: PRIORITY.due };
    return slot === 2 ? { priority: false } : {};
  });
}

export function toJob({ shopKey, urgency }: QueuedSweep, tick: Date | undefined) {
  const job = { data: { shopKey }, priority: PRIORITY[urgency], singletonKey: shopKey };
  return tick === undefined ? job : { ...job, id: tickId(shopKey, tick) };
}

/** The same in every worker, so that the queue accepts it once. */
function tickId(shopKey: string, tick: Date): string {
  const hash = createHash('sha256').update(`${tick.toISOString()} ${shopKey}`).digest('hex');
  return hash.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

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
