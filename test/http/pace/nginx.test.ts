/** The pace behind a real nginx, which refuses what is too much with a page of HTML and no Retry-After. */
import { describe, expect, test } from 'vitest';

import { startSimulator } from '../../../src/simulator/server.ts';
import { apiOf, NOW } from '../../shop-api/api-of.ts';
import { everyday } from '../../support/long.ts';
import { needs } from '../../support/needs.ts';
import { HAS_NGINX, startNginx } from '../../support/nginx.ts';

const limitedTo = (perSecond: number, burst: number, status: number) => ({
  http: `limit_req_zone $binary_remote_addr zone=all:1m rate=${perSecond}r/s; limit_req_status ${status};`,
  location: `limit_req zone=all burst=${burst} nodelay;`,
});

const LIMITS = [
  { name: 'limit_req with 503', rules: limitedTo(10, 1, 503), mostRefused: 0.15 },
  { name: 'limit_req with 429', rules: limitedTo(20, 5, 429), mostRefused: 0.15 },
  {
    name: 'limit_conn',
    rules: { http: 'limit_conn_zone $binary_remote_addr zone=open:1m;', location: 'limit_conn open 3;' },
    mostRefused: 0.25,
  },
  {
    name: 'connections that are closed',
    rules: { http: 'keepalive_requests 3;', location: '' },
    mostRefused: 0,
  },
];

describe('behind nginx', needs(HAS_NGINX, 'nginx is not installed'), () => {
  test.concurrent.each(everyday(LIMITS, 'limit_req with 503', 'limit_req with 429', 'connections'))(
    '$name: every request is answered in the end, and few are refused',
    async ({ rules, mostRefused }) => {
      await using sim = await startSimulator({ orders: 120, now: NOW, latencyMs: 30 });
      await using nginx = await startNginx(sim.url, rules);
      const api = apiOf(nginx, { maxConcurrency: 16, maxRps: 50, retry: {} });
      const asked = sim.shop.orders().map(({ orderId }) => api.orderContent(String(orderId)));
      for (const { kind } of await Promise.all(asked)) expect(kind).toBe('found');
      const { circuit, probes, isFailing } = api.health;
      expect({ circuit, probes, isFailing }).toEqual({ circuit: 'closed', probes: 0, isFailing: false });
      expect(api.counts.retries / api.counts.content).toBeLessThanOrEqual(mostRefused);
    },
  );
});
