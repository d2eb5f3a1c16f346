/** The warehouse describes itself completely, and the data dictionary is that description. */
import { afterAll, beforeAll, expect, test } from 'vitest';

import { type Opened, openMigrated } from './migrated.ts';
import { mayBeNull, nameOf, readCatalog, type Relation } from './catalog.ts';
import { readQueries, renderDictionary } from './dictionary.ts';
import { inRepository } from './markdown.ts';
import { VIEW_KEYS } from './view-keys.ts';

let opened: Opened;
let relations: readonly Relation[];

beforeAll(async () => {
  opened = await openMigrated();
  relations = await readCatalog(opened.client);
});
afterAll(() => opened[Symbol.asyncDispose]());

const columns = () =>
  relations.flatMap((relation) =>
    relation.columns.map((column) => ({ ...column, relation, name: `${nameOf(relation)}.${column.name}` })),
  );
const namesOf = (entries: readonly { readonly name: string }[]) => entries.map(({ name }) => name);

test('every schema, table, view and column has a sentence about it', () => {
  const entries = [
    ...relations.map((relation) => ({ name: relation.schema, comment: relation.schemaComment })),
    ...relations.map((relation) => ({ name: nameOf(relation), comment: relation.comment })),
    ...columns(),
  ];
  expect(namesOf(entries)).toEqual(
    expect.arrayContaining(['bi', 'core.orders', 'bi.orders.shop', 'raw.users.payload']),
  );
  expect(namesOf(entries.filter(({ comment }) => !/^\p{Lu}.{12,}[.]$/u.test(comment)))).toEqual([]);
});

test('where a column of a table may be NULL, its comment says what that means', () => {
  const nullable = columns().filter(
    ({ relation, ...column }) => !relation.isView && mayBeNull(relation, column),
  );
  expect(nullable.length).toBeGreaterThan(50);
  expect(namesOf(nullable.filter(({ comment }) => !comment.includes('NULL')))).toEqual([]);
});

test('amounts of money have their currency beside them, or say whose it is', () => {
  const isMoney = ({ name, type }: { name: string; type: string }) =>
    /^numeric\(1\d,2\)$/.test(type) && !/percent|hours|days/.test(name);
  const priced = relations.filter((relation) => relation.columns.some(isMoney));
  expect(priced.map(nameOf)).toContain('bi.daily_sales');
  const silent = priced.filter(({ columns }) => !columns.some(({ comment }) => /currency/i.test(comment)));
  expect(silent.map(nameOf)).toEqual([]);
});

test('every view has a comment that says what a row is, a key, and an example query', async () => {
  const views = relations.filter(({ schema }) => schema.startsWith('bi'));
  const names = new Set(views.map(nameOf));
  const keyed = new Set(Object.keys(VIEW_KEYS));
  const queried = new Set((await readQueries()).keys());
  const wordless = views.filter(({ comment }) => !comment.startsWith('One row per ')).map(nameOf);
  const problems = [
    ...wordless.map((view) => `the comment on ${view} does not begin with "One row per "`),
    ...[...names.difference(keyed)].map((view) => `test/docs/view-keys.ts lacks ${view}`),
    ...[...keyed.difference(names)].map((view) => `test/docs/view-keys.ts has ${view}, which is no view`),
    ...[...names.difference(queried)].map(
      (view) => `docs/queries/${view}.sql is missing: a query on ${view} that has an answer in the demo`,
    ),
    ...[...queried.difference(names)].map((view) => `docs/queries/${view}.sql is of no view`),
  ];
  expect(names).toContain('bi.orders');
  expect(problems).toEqual([]);
});

test('generated: docs/data-dictionary.md says what the database says', async () => {
  const message = 'docs/data-dictionary.md is stale: npm run docs:dictionary';
  await expect(await renderDictionary(relations), message).toMatchFileSnapshot(
    inRepository('docs/data-dictionary.md'),
  );
});
