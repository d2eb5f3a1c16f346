/** A zone means the same to PostgreSQL, which computes instants in views, and to order-sync. */
import { expect, test } from 'vitest';

import { withClient } from '../support/database-clients.ts';
import { freshDatabase } from '../support/database.ts';
import { complete, parseShop, problemsOf } from '../support/settings.ts';

test('every zone that the settings accept has the same offsets in PostgreSQL', async () => {
  await using database = await freshDatabase();
  const known = [...Intl.supportedValuesOf('timeZone'), 'Etc/GMT-3', 'US/Eastern'];
  const taken = known.filter((zone) => problemsOf({ ...complete, SHOP_TIMEZONE: zone }).length === 0);
  expect(taken.length).toBeGreaterThan(400);
  // Servers of some systems lack old names, such as Africa/Asmera.
  const zones = await withClient(database.url, async (client) => {
    const query = 'SELECT name FROM pg_timezone_names WHERE name = ANY ($1)';
    return (await client.query<{ name: string }>(query, [taken])).rows.map(({ name }) => name);
  });
  expect(zones.length).toBeGreaterThan(350);
  const noons = ['2024-01-15T12:00:00', '2024-07-15T12:00:00'];
  const ours = zones.flatMap((zone) => {
    const { timezone } = parseShop({ ...complete, SHOP_TIMEZONE: zone });
    const offset = (noon: string) => Temporal.PlainDateTime.from(noon).toZonedDateTime(timezone);
    return noons.map((noon) => ({ zone, ms: String(offset(noon).epochMilliseconds) }));
  });
  const theirs = await withClient(database.url, async (client) => {
    const { rows } = await client.query<{ zone: string; ms: string }>(
      `SELECT zone, (extract(epoch FROM noon::timestamp AT TIME ZONE zone) * 1000)::bigint::text AS ms
       FROM unnest($1::text[]) WITH ORDINALITY AS zones (zone, at), unnest($2::text[]) WITH ORDINALITY AS noons (noon, nth)
       ORDER BY zones.at, noons.nth`,
      [zones, noons],
    );
    return rows;
  });
  expect(theirs).toEqual(ours);
});
