/** A PostgreSQL of a test's own, where the server that all tests share lacks a setting. */
import { openEmbedded } from '../../src/embedded-postgres/open-embedded.ts';
import { openFolder } from './scratch-folder.ts';

type Settings = Readonly<Record<string, string>>;

/** Starts an embedded server in a temporary folder; disposing stops it and removes its data. */
export async function startEmbedded(settings: Settings): Promise<AsyncDisposable & { readonly url: string }> {
  const folder = await openFolder('tests');
  const database = await openEmbedded({ directory: folder.path, settings });
  return {
    url: database.url,
    async [Symbol.asyncDispose]() {
      await database.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}
