/** The fixture itself: what it would not notice. */
import { expect, test } from 'vitest';

import { readBystander } from './bystander.ts';
import { withClient } from './database-clients.ts';
import { freshDatabase } from './database.ts';

/** Marks of what is to be recomputed, which any refresh removes. */
const ALWAYS_EMPTY = ['ops.stale_sums', 'ops.view_changes'];

test('every table with rows of shops has some of the bystander', async () => {
  await using fresh = await freshDatabase();
  const rows = await withClient(fresh.url, readBystander);
  const empty = Object.entries(rows.contents).flatMap(([table, text]) =>
    text.startsWith('0 rows') ? [table] : [],
  );
  expect(empty).toEqual(ALWAYS_EMPTY);
});

test('a database in which a row of the bystander was changed, added or removed fails its test', async () => {
  for (const statement of [
    'UPDATE core.orders SET order_sum = order_sum + 1 WHERE order_id = 5',
    'DELETE FROM ops.due',
    `UPDATE ops.shop_state SET findings = '{"drift": "x"}'`,
    'UPDATE core.shops SET paused_at = now()',
  ]) {
    const fresh = await freshDatabase();
    await withClient(fresh.url, (client) => client.query(statement));
    await expect(fresh[Symbol.asyncDispose](), statement).rejects.toThrow(
      'rows of another shop were changed',
    );
  }
});
