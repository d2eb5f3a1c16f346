/** What BI tools are given is what the database says of itself. `npm run bi:tools` writes it. */
import { afterAll, beforeAll, expect, test } from 'vitest';

import { readCatalog, type Relation } from '../docs/catalog.ts';
import { inRepository } from '../docs/markdown.ts';
import { openMigrated, type Opened } from '../docs/migrated.ts';
import { renderDbtSources } from './dbt-sources.ts';

let opened: Opened;
let relations: readonly Relation[];

beforeAll(async () => {
  opened = await openMigrated();
  relations = await readCatalog(opened.client);
});
afterAll(() => opened[Symbol.asyncDispose]());

test("dbt's sources describe every view of bi", async () => {
  const sources = await renderDbtSources(relations);
  await expect(sources, 'dbt/models/sources.yml is stale: npm run bi:tools').toMatchFileSnapshot(
    inRepository('dbt/models/sources.yml'),
  );
});
