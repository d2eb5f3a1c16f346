/** A plain reader of the simulated API, sharing no code with the product's own client. */
import type { Simulator } from '../../src/simulator/server.ts';

export type Row = Readonly<Record<string, unknown>>;
export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed text; undefined when it is not JSON. */
  readonly json: unknown;
};

export const NOW = Temporal.Instant.from('2026-03-15T10:30:20Z');
const AUTHORIZATION = `Basic ${btoa('admin:simulated-key')}`;
export const HEADERS = { Authorization: AUTHORIZATION, 'Content-Type': 'application/json' };

/** GET of a path below `/adm/api`. */
export async function get(
  sim: Simulator,
  path: string,
  query: Readonly<Record<string, string | number>> = {},
): Promise<Answer> {
  const parameters = Object.entries(query).map(([name, value]) => [name, String(value)]);
  return request(sim, `/adm/api${path}?${new URLSearchParams(parameters).toString()}`, { headers: HEADERS });
}

/** Any request with the right headers, unless others are given. */
export async function request(sim: Simulator, path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(sim.url + path, { headers: HEADERS, ...init });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parsed(text) };
}

/** The rows of a list answer, whether array, keyed object or a bare `[]`. */
export function rowsOf(answer: Answer): readonly Row[] {
  if (Array.isArray(answer.json)) return answer.json as readonly Row[];
  const orders = (answer.json as { orders: readonly Row[] | Record<string, Row> }).orders;
  return Array.isArray(orders) ? (orders as readonly Row[]) : Object.values(orders as Record<string, Row>);
}

export function idsOf(answer: Answer): readonly number[] {
  return rowsOf(answer).map((row) => Number(row['order_id']));
}

/** `DD-MM-YYYY HH:MM:SS`. */
export function filterTime(time: Temporal.PlainDateTime): string {
  const [date = '', clock = ''] = time.toString({ smallestUnit: 'second' }).split('T');
  return `${date.split('-').toReversed().join('-')} ${clock}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, '')) as unknown;
  } catch {
    return undefined;
  }
}
