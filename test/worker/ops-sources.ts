import type { OpsSources } from '../../src/worker/ops-server.ts';

/** Of a worker without shops that is well. */
export const WELL: OpsSources = {
  unreadiness: async () => undefined,
  status: async () => [],
  shop: async () => undefined,
  metrics: async () => 'up 1\n',
};

/** Why a database cannot be asked. */
export const REFUSED = Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:5432'), {
  code: 'ECONNREFUSED',
});
