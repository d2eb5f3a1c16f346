/** Makes days due as time would, without waiting for it. */
import type { Client } from 'pg';

/**
 * Says of the newest day, or of all days, that they were verified longer ago than the default of FRESHNESS allows; of all
 * others, that they were verified now.
 */
export async function makeDue(client: Client, days: 'newest' | 'all'): Promise<void> {
  await client.query(
    `UPDATE ops.days SET verified_at = now()
      - CASE WHEN $1 THEN interval '400 days' WHEN day = (SELECT max(day) FROM ops.days) THEN interval '10 minutes'
        ELSE interval '0' END`,
    [days === 'all'],
  );
}

/** As if the list had never been read without dates. */
export async function forgetAudit(client: Client): Promise<void> {
  await client.query(`UPDATE ops.shop_state SET memory = memory - 'audit'`);
}
