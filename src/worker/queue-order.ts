/** In which order sweeps are taken from the queue. */
import { createHash } from 'node:crypto';

import type { WorkOptions } from 'pg-boss';

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
