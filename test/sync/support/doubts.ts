import type { Client } from 'pg';

/** Makes the doubts that are kept as much older: they go by the database's clock, which no test sets. */
export async function ageDoubts(client: Client, hours: number): Promise<void> {
  await client.query(
    `UPDATE ops.api_profiles SET profile = jsonb_set(profile, '{doubted}', (
       SELECT coalesce(jsonb_object_agg(key, to_char((value #>> '{}')::timestamptz AT TIME ZONE 'UTC'
         - make_interval(hours => $1), 'YYYY-MM-DD"T"HH24:MI:SS"Z"')), '{}')
       FROM jsonb_each(profile -> 'doubted')))
     WHERE profile ? 'doubted'`,
    [hours],
  );
}
