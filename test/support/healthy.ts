import type { ShopApi } from '../../src/shop-api/shop-api.ts';

/** A client to which a shop has answered whatever it asked. */
export const HEALTHY: ShopApi['health'] = {
  concurrency: 16,
  lowestConcurrency: 16,
  maxConcurrency: 16,
  maxRps: 50,
  foundRps: undefined,
  limitedBy: undefined,
  circuit: 'closed',
  isFailing: false,
  pausedUntil: undefined,
  waitsUntil: undefined,
  probes: 0,
  answers: 100,
};
