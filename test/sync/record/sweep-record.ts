/** One line that says what a sweep asked for, and what it left in the warehouse. */
import { createHash } from 'node:crypto';

import type { Client } from 'pg';

import type { SimRequest } from '../../../src/simulator/api/request-log.ts';

/** Depends on how quick this machine is. */
const UNSTEADY = '{shop_id,saved_at,next_sweep_at,sweep_planned_at,line_relations_at,memory}';
const UNSTEADY_MEMORY = '{throttle,loadRps,requests}';
const LEFT = `
  SELECT
    (SELECT concat_ws(' ', kind, status, 'days', days_verified, 'orders', orders_seen, 'new', orders_new, 'changed', orders_changed,
         'missing', orders_missing, 'rejections', rejections, error)
       FROM ops.runs WHERE shop_id = s.shop_id ORDER BY run_id DESC LIMIT 1) AS run,
    (SELECT json_agg(to_jsonb(d) - 'shop_id' ORDER BY day) FROM ops.days d WHERE shop_id = s.shop_id) AS days,
    (SELECT json_agg(json_build_array(order_id, status_code, updated_local, fingerprint, lines_state, lines_attempts,
         first_seen_at, observed_at, missing_since, deleted_at) ORDER BY order_id)
       FROM core.orders WHERE shop_id = s.shop_id) AS orders,
    (SELECT json_agg(json_build_array(order_id, line_no, quantity, line_total) ORDER BY order_id, line_no)
       FROM core.order_lines WHERE shop_id = s.shop_id) AS lines,
    (SELECT json_agg(json_build_array(kind, key, attempts, reason, data) ORDER BY kind, key) FROM ops.due WHERE shop_id = s.shop_id) AS due,
    (SELECT json_agg(json_build_array(resource, source_key, field, reason, resolved_at IS NULL, seen_count) ORDER BY digest)
       FROM ops.rejections WHERE shop_id = s.shop_id) AS rejections,
    (SELECT to_jsonb(t) - '${UNSTEADY}'::text[] || (t.memory - '${UNSTEADY_MEMORY}'::text[] #- '{counts,requestsLeft}') FROM ops.shop_state t WHERE shop_id = s.shop_id) AS state
  FROM core.shops s WHERE shop_key = 'test'`;

type Part = 'run' | 'days' | 'orders' | 'lines' | 'due' | 'rejections' | 'state';

export async function sweepRecord(client: Client, asked: readonly SimRequest[]): Promise<string> {
  const { rows } = await client.query<Readonly<Record<Part, unknown>>>(LEFT);
  const { run, ...left } = rows[0] ?? {};
  // Some are asked for side by side, in whatever order.
  // A request for nothing, which is of another second each time, says nothing.
  const told = asked.filter(({ query }) => query['date_from']?.slice(6, 10) !== '1971');
  const requests = told.map(({ path, query }) => `${path} ${JSON.stringify(query)}`).toSorted();
  const lists = asked.filter(({ route }) => route === 'orders').length;
  return `${lists} lists and ${asked.length - lists} others ${digest(requests)}, left ${digest(left)}: ${String(run)}`;
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 6);
}
