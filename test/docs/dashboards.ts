/** The dashboards in deploy/grafana, and their queries as Grafana would send them. */
import { readdir, readFile } from 'node:fs/promises';

import { z } from 'zod';

import { inRepository } from './markdown.ts';

const FOLDER = inRepository('deploy/grafana/dashboards');

const source = z.object({
  type: z.literal('grafana-postgresql-datasource'),
  uid: z.literal('order-sync'),
});
const target = z.object({
  refId: z.string(),
  datasource: source,
  rawQuery: z.literal(true),
  format: z.enum(['table', 'time_series']),
  rawSql: z.string(),
});
const panel = z.object({
  id: z.number(),
  type: z.enum(['stat', 'timeseries', 'table', 'bargauge', 'barchart']),
  title: z.string().min(1),
  description: z.string().min(1),
  datasource: source,
  gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
  targets: z.tuple([target]),
  options: z.object({
    xField: z.string().optional(),
    reduceOptions: z.object({ values: z.boolean(), fields: z.string() }).optional(),
  }),
  fieldConfig: z.object({
    defaults: z.object({ min: z.number().optional() }),
    overrides: z.array(z.object({ matcher: z.object({ id: z.literal('byName'), options: z.string() }) })),
  }),
});
const variable = z.object({
  name: z.string(),
  type: z.literal('query'),
  datasource: source,
  query: z.string(),
  /** Asked again when the period changes: what a shop that is new, or a currency, needs to be offered. */
  refresh: z.literal(2),
});
const dashboard = z.object({
  uid: z.string(),
  title: z.string(),
  schemaVersion: z.number(),
  timezone: z.literal(''),
  templating: z.object({ list: z.array(variable) }),
  panels: z.array(panel),
});

export type Panel = z.output<typeof panel>;
export type Dashboard = z.output<typeof dashboard>;

/** @throws ZodError where a file is not what the tests, and Grafana, take for a dashboard */
export async function readDashboards(): Promise<readonly Dashboard[]> {
  const files = (await readdir(FOLDER)).toSorted();
  return Promise.all(
    files.map(async (file) => dashboard.parse(JSON.parse(await readFile(`${FOLDER}/${file}`, 'utf8')))),
  );
}

export type Selection = {
  readonly from: string;
  readonly to: string;
  /** What is chosen in the variables, by their name. */
  readonly chosen: Readonly<Record<string, string>>;
};

/**
 * The query with what is selected filled in, as Grafana does: `${name:sqlstring}` first, then each `$word(...)`.
 *
 * @throws Error for a variable that is not chosen and for a macro that the dashboards are not known to need
 */
export function expanded(query: string, { from, to, chosen }: Selection): string {
  const filled = query.replaceAll(/\$\{(\w+):sqlstring\}/g, (_, name: string) => {
    const value = chosen[name];
    if (value === undefined) throw new Error(`the variable ${name} is not one of the dashboard's`);
    return `'${value.replaceAll("'", "''")}'`;
  });
  const asked = filled.replaceAll(/\$(\w+)\(([^)]*)\)/g, (call, macro: string, argument: string) => {
    if (macro === '__timeFrom') return `'${from}'`;
    if (macro === '__timeTo') return `'${to}'`;
    if (macro === '__timeFilter') return `${argument} BETWEEN '${from}' AND '${to}'`;
    throw new Error(`the macro ${call} is not known here`);
  });
  if (asked.includes('$')) throw new Error(`something is left to fill in: ${asked}`);
  return asked;
}
