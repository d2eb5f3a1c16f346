import type { Client } from 'pg';

import { emptyDatabase } from '../support/database.ts';
import { openTestWarehouse } from '../warehouse/test-warehouse.ts';

export type Opened = AsyncDisposable & { readonly client: Client };

/** A warehouse with all migrations and nothing in it. */
export async function openMigrated(): Promise<Opened> {
  await using opening = new AsyncDisposableStack();
  const { database } = opening.use(await openTestWarehouse(emptyDatabase));
  const client = await database.connect();
  opening.defer(() => client.end());
  const opened = opening.move();
  return { client, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}
