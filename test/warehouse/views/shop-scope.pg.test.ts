/** Views, functions and triggers read the rows of many shops: what they join, they join by the shop. */
import { loadModule, parsePlPgSQLSync, parseSync } from 'libpg-query';
import { beforeAll, expect, test } from 'vitest';

import { isJsonArray, isJsonObject, type JsonValue } from '../../../src/model/json.ts';
import { withClient } from '../../support/database-clients.ts';
import { freshDatabase } from '../../support/database.ts';
import { findUnbound } from '../../support/shop-scope/shop-scope.ts';
import { listShopTables } from '../../support/shop-scope/shop-tables.ts';
import { statementsIn } from '../../support/shop-scope/sql-nodes.ts';

beforeAll(loadModule);

/** What is of no shop. */
const OF_NO_SHOP: Readonly<Record<string, readonly string[]>> = { 'bi.calendar': ['orders'] };

/** Marks and sums of all shops that a statement wrote to; what is joined says by which shop. */
const OF_ALL_SHOPS: Readonly<Record<string, readonly string[]>> = {
  'bi.daily_sales_asof': ['p+s+h'],
  'bi.daily_sales_changes': ['v'],
  'ops.distribute_tables': ['shops'],
  'ops.follow_fields': ['c', 'changed | c'],
  'ops.follow_groups': ['changed'],
  'ops.follow_history': ['locked | o+l'],
  'ops.follow_lines': ['locked | o+l'],
  'ops.follow_orders': ['c | written', 'c | s | m', 'v+r'],
  'ops.follow_payments': ['changed'],
  'ops.follow_persons': ['locked | o+l'],
  'ops.follow_shops': ['changed'],
  'ops.follow_states': ['h+c | h+c'],
  'ops.follow_statuses': ['changed+changed | c+o | c'],
  'ops.follow_users': ['changed'],
  'ops.mark_everything': ['orders'],
};

/** Rows that a statement wrote. */
const OF_TRIGGERS = ['old_rows', 'new_rows', 'written'];

const SCHEMAS = `('core', 'raw', 'ops', 'bi', 'bi_pii')`;

test('views join the rows of shops by the shop, and say of which shop each row is', async () => {
  await using database = await freshDatabase();
  await withClient(database.url, async (client) => {
    const tables = new Set(await listShopTables(client));
    const { rows } = await client.query<{ name: string; definition: string }>(
      `SELECT schemaname || '.' || viewname AS name, definition FROM pg_views WHERE schemaname IN ${SCHEMAS} ORDER BY 1`,
    );
    const found = rows.flatMap(({ name, definition }) =>
      statementsIn(parseSync(definition)).flatMap((statement) => {
        const { unbound, saysShop } = findUnbound(statement, tables);
        return saysShop ? [] : [[name, [groupsText(unbound)]]];
      }),
    );
    expect(Object.fromEntries(found)).toEqual(OF_NO_SHOP);
    expect(rows.length).toBeGreaterThan(40);
  });
});

test('functions and triggers join the rows of shops by the shop', async () => {
  await using database = await freshDatabase();
  await withClient(database.url, async (client) => {
    const tables = new Set([...(await listShopTables(client)), ...OF_TRIGGERS]);
    const { rows } = await client.query<{ name: string; body: string; definition: string; language: string }>(
      `SELECT nspname || '.' || proname AS name,
         coalesce(regexp_replace(pg_get_function_sqlbody(p.oid), '^RETURN', 'SELECT'), prosrc) AS body, pg_get_functiondef(p.oid) AS definition, lanname AS language
       FROM pg_proc p JOIN pg_language l ON l.oid = prolang JOIN pg_namespace n ON n.oid = pronamespace
       WHERE nspname IN ${SCHEMAS} ORDER BY 1`,
    );
    const found: Record<string, string[]> = {};
    for (const { name, body, definition, language } of rows) {
      const statements = language === 'sql' ? statementsIn(parseSync(body)) : queriesOf(definition);
      for (const statement of statements) {
        const { unbound } = findUnbound(statement, tables);
        const groups = groupsText(unbound);
        // The functions of triggers begin by asking whether any row was written.
        if (groups === '' || (groups === 'written' && name.startsWith('ops.follow_'))) continue;
        const of = (found[name.replace(/_(?:insert|update|delete)$/, '')] ??= []);
        if (!of.includes(groups)) of.push(groups);
      }
    }
    expect(found).toEqual(OF_ALL_SHOPS);
    expect(rows.length).toBeGreaterThan(5);
  });
});

const groupsText = (groups: readonly (readonly string[])[]) =>
  groups.map((group) => group.join('+')).join(' | ');

/** What a trigger fills into its statement. */
const ROWS = 'SELECT shop_id, order_id, field_key, true AS is_other_sum FROM written';

/** The statements in the body of a function in PL/pgSQL, and the conditions that hold queries. */
function queriesOf(definition: string): ReturnType<typeof statementsIn> {
  const body: JsonValue = JSON.parse(JSON.stringify(parsePlPgSQLSync(definition)));
  return queryTexts(body)
    .map((text) => /\$sql\$(.*)\$sql\$/s.exec(text)?.[1]?.replaceAll('%s', ROWS) ?? text) // of EXECUTE
    .map((text) => (/^\s*(?:NOT )?EXISTS\b/i.test(text) ? `SELECT ${text}` : text))
    .filter((text) => /^\s*(?:WITH|SELECT|INSERT|UPDATE|DELETE)\b/i.test(text))
    .flatMap((text) => statementsIn(parseSync(text)));
}

function queryTexts(value: JsonValue | undefined): readonly string[] {
  if (isJsonArray(value)) return value.flatMap(queryTexts);
  if (!isJsonObject(value)) return [];
  const { query } = value;
  return typeof query === 'string' ? [query] : Object.values(value).flatMap(queryTexts);
}
