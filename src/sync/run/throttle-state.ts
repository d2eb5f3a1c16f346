import { z } from 'zod';

import type { ShopApi } from '../../shop-api/shop-api.ts';
import type { ShopStateChanges, ShopStateRow } from '../../warehouse/ops/stored-shop-state.ts';

/** How requests to a shop were throttled when that was last recorded. */
export type ThrottleState = Pick<
  ShopApi['health'],
  'concurrency' | 'lowestConcurrency' | 'maxConcurrency' | 'maxRps' | 'circuit'
>;

const stored = z.object({
  concurrency: z.int(),
  lowest_concurrency: z.int(),
  max_concurrency: z.int(),
  max_rps: z.number(),
  circuit: z.enum(['closed', 'open', 'half-open']),
});

/** @returns undefined if no run has recorded it yet */
export function toThrottleState(row: ShopStateRow): ThrottleState | undefined {
  const { data } = stored.safeParse(row);
  if (data === undefined) return undefined;
  const { concurrency, lowest_concurrency, max_concurrency, max_rps, circuit } = data;
  return {
    concurrency,
    lowestConcurrency: lowest_concurrency,
    maxConcurrency: max_concurrency,
    maxRps: max_rps,
    circuit,
  };
}

/** The client's current state, as recorded. */
export function currentThrottle(health: ShopApi['health']): ThrottleState {
  const { concurrency, lowestConcurrency, maxConcurrency, maxRps, circuit } = health;
  return { concurrency, lowestConcurrency, maxConcurrency, maxRps, circuit };
}

export function throttleColumns(throttle: ThrottleState | undefined): ShopStateChanges {
  return {
    concurrency: throttle?.concurrency ?? null,
    lowest_concurrency: throttle?.lowestConcurrency ?? null,
    max_concurrency: throttle?.maxConcurrency ?? null,
    max_rps: throttle?.maxRps ?? null,
    circuit: throttle?.circuit ?? null,
  };
}

/** As the JSON of commands and of the status page has it. */
export function throttleJson(
  { concurrency, lowestConcurrency, maxConcurrency, maxRps, circuit }: ThrottleState,
  pausedUntil: Temporal.Instant | undefined,
) {
  return {
    concurrency,
    lowest_concurrency: lowestConcurrency,
    max_concurrency: maxConcurrency,
    max_rps: maxRps,
    circuit,
    paused_until: pausedUntil?.toString() ?? null,
  };
}
