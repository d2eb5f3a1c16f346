/** A process that uses the embedded database of a folder (its argument) until its input ends. */
import { text } from 'node:stream/consumers';

import { openEmbedded } from '../../src/warehouse/embedded/open-embedded.ts';

/** The script to start. */
export const DATABASE_USER_SCRIPT = import.meta.filename;

if (import.meta.main) {
  const [directory = '.'] = process.argv.slice(2);
  await using database = await openEmbedded({ directory, settings: { fsync: 'off' } });
  process.stdout.write(`${database.url}\n`);
  await text(process.stdin);
}
