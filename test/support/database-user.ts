/**
 * A process that uses the embedded database of a folder (its first argument) until its input ends; or that comes, asks
 * something and goes as many times as the second argument says.
 */
import { text } from 'node:stream/consumers';

import { openEmbedded } from '../../src/embedded-postgres/open-embedded.ts';
import { withClient } from './database-clients.ts';

/** The script to start. */
export const DATABASE_USER_SCRIPT = import.meta.filename;

if (import.meta.main) {
  const [directory = '.', visits = '0'] = process.argv.slice(2);
  const open = () => openEmbedded({ directory, settings: { fsync: 'off' } });
  for (let visit = 1; visit <= Number(visits); visit += 1) {
    await using database = await open();
    await withClient(database.url, (client) => client.query('SELECT pg_sleep(0.01)'));
  }
  if (visits === '0') {
    await using database = await open();
    process.stdout.write(`${database.url}\n`);
    await text(process.stdin);
  }
}
