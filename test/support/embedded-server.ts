/** A PostgreSQL of a test's own, where the server that all tests share lacks a setting. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { openEmbedded } from '../../src/embedded-postgres/open-embedded.ts';
import { scratchFolder } from './scratch-folder.ts';

type Settings = Readonly<Record<string, string>>;

/** Starts an embedded server in a temporary folder; disposing stops it and removes its data. */
export async function startEmbedded(settings: Settings): Promise<AsyncDisposable & { readonly url: string }> {
  const directory = await mkdtemp(join(await scratchFolder(), 'order-sync-tests-'));
  await chmod(directory, 0o755);
  const database = await openEmbedded({ directory, settings });
  return {
    url: database.url,
    async [Symbol.asyncDispose]() {
      await database.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
