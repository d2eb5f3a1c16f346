import type { Client } from 'pg';

/** Makes the suspects that are kept as much older: they go by the database's clock, which no test sets. */
export async function ageSuspects(client: Client, hours: number): Promise<void> {
  await client.query(
    `UPDATE tested.due SET since = since - make_interval(hours => $1) WHERE kind = 'missing'`,
    [hours],
  );
}
