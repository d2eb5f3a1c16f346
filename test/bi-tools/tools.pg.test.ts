/** What BI tools are given is what the database says of itself. `npm run bi:tools` writes it. */
import { glob } from 'node:fs/promises';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { nameOf, readCatalog, type Relation } from '../docs/catalog.ts';
import { inRepository } from '../docs/markdown.ts';
import { openMigrated, type Opened } from '../docs/migrated.ts';
import { renderDbtSources } from './dbt-sources.ts';
import { METRICS } from './metrics.ts';
import { CHARTS } from './superset-charts.ts';
import { renderSuperset } from './superset.ts';

let opened: Opened;
let relations: readonly Relation[];

beforeAll(async () => {
  opened = await openMigrated();
  relations = await readCatalog(opened.client);
});
afterAll(() => opened[Symbol.asyncDispose]());

test("dbt's sources describe every view of bi", async () => {
  const sources = await renderDbtSources(relations);
  await expect(sources, 'dbt/models/staging/sources.yml is stale: npm run bi:tools').toMatchFileSnapshot(
    inRepository('dbt/models/staging/sources.yml'),
  );
});

const SUPERSET = inRepository('deploy/superset/order-sync');

test('Superset gets a dataset for every view of bi, and a dashboard', async () => {
  const files = await renderSuperset(relations);
  for (const [path, text] of files) {
    await expect(text, `${path} is stale: npm run bi:tools`).toMatchFileSnapshot(`${SUPERSET}/${path}`);
  }
  // A view that was removed leaves no file behind.
  const entries = await Array.fromAsync(glob('**/*.yaml', { cwd: SUPERSET }));
  expect(entries.filter((path) => !files.has(path))).toEqual([]);
});

test('every metric can be computed, and charts show columns and metrics that there are', async () => {
  for (const [view, metrics] of Object.entries(METRICS)) {
    await opened.client.query(
      `SELECT ${metrics.map(({ expression }) => expression).join(', ')} FROM ${view}`,
    );
  }
  for (const { name, view, params } of CHARTS) {
    const columns = relations.find((relation) => nameOf(relation) === view)?.columns ?? [];
    const known = [...columns, ...(METRICS[view] ?? [])].map((entry) => entry.name);
    const { metric = [], metrics = [], groupby = [], x_axis = [] } = params;
    const shown = [metric, metrics, groupby, x_axis].flat();
    expect(shown.length, name).toBeGreaterThan(0);
    expect(
      shown.filter((entry) => !known.some((one) => one === entry)),
      name,
    ).toEqual([]);
  }
});
