/** What a keeper and the processes that use its server tell each other, and where the keeper is found. */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import * as z from 'zod';

import { TerminalError } from '../../errors.ts';

/** The line of a user that leaves; the keeper hangs up once it is gone, or with the last one once the server is down. */
export const GOODBYE = 'bye';

/** The keeper's lines. The first one answers the user's token at once, so that a stranger on the port is noticed. */
const KeeperMessage = z.discriminatedUnion('state', [
  z.object({ state: z.literal('starting') }),
  z.object({ state: z.literal('ready'), url: z.string() }),
  z.object({ state: z.literal('failed'), reason: z.string() }),
]);
export type KeeperMessage = z.infer<typeof KeeperMessage>;

const KeeperAddress = z.object({
  pid: z.int(),
  port: z.int().min(1).max(65_535),
  token: z.string(),
  /** Of the database, once it is ready. */
  url: z.string().optional(),
});
export type KeeperAddress = z.infer<typeof KeeperAddress>;

export const addressFileOf = (home: string) => join(home, 'keeper.json');

/** Where the home's keeper listens; undefined when there is none. One that died may have left its address. */
export async function readAddress(home: string): Promise<KeeperAddress | undefined> {
  try {
    return KeeperAddress.parse(JSON.parse(await readFile(addressFileOf(home), 'utf8')));
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && (cause.code === 'EACCES' || cause.code === 'EPERM')) {
      throw new TerminalError(
        `The embedded database in ${home} is in use by another user of this system: wait until they are done, ` +
          'run order-sync in a folder of your own, or set DATABASE_URL.',
        { cause },
      );
    }
    return undefined;
  }
}

/** Whole or not at all, for the eyes of this user alone. */
export async function writeAddress(home: string, address: KeeperAddress): Promise<void> {
  const unfinished = `${addressFileOf(home)}.unfinished`;
  await writeFile(unfinished, `${JSON.stringify(address, null, 2)}\n`, { mode: 0o600 });
  await rename(unfinished, addressFileOf(home));
}

export function parseKeeperMessage(line: string): KeeperMessage | undefined {
  try {
    return KeeperMessage.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}

/** The exit code of a keeper that found another one at work. */
export const NOT_NEEDED = 75;

/** Settings of the server, by name. */
export type Settings = Readonly<Record<string, string>>;
