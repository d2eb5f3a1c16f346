/**
 * The keeper: a small process of its own that runs the embedded server for as long as somebody uses it. A process of
 * its own, since a server run by the first user would go down with it under the others, and nobody would stop it after
 * a user that was killed. Arguments: the home, and server settings as JSON.
 */
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';

import * as z from 'zod';

import { serverAccount } from './account.ts';
import { prepareBinaries } from './binaries.ts';
import { explainFailure } from './failure.ts';
import { dataFolderOf, logFileOf } from './home.ts';
import { takeLock } from './keeper-lock.ts';
import {
  addressFileOf,
  type KeeperAddress,
  NOT_NEEDED,
  type Settings,
  writeAddress,
} from './keeper-messages.ts';
import { Reception } from './reception.ts';
import { type Server, startServer } from './server.ts';

const SettingsArgument = z.record(z.string(), z.string());

async function keep(home: string, settings: Settings): Promise<void> {
  using lock = takeLock(home);
  if (lock === undefined) {
    process.exitCode = NOT_NEEDED;
    return;
  }
  const token = randomBytes(18).toString('hex');
  using reception = await Reception.open(token);
  const address = { pid: process.pid, port: reception.port, token };
  await writeAddress(home, address);
  try {
    await using server = stoppedAtEnd(await start(home, settings));
    await serve(home, address, server, reception);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${reason}\n`);
    const isExplained = error instanceof Error && error.name === 'TerminalError';
    const explained = isExplained ? reason : explainFailure('start', `error: ${reason}`, logFileOf(home));
    process.exitCode = 1;
    reception.announce({ state: 'failed', reason: explained });
    await reception.empty;
  } finally {
    await rm(addressFileOf(home), { force: true });
  }
}

async function start(home: string, settings: Settings): Promise<Server> {
  const account = await serverAccount(dataFolderOf(home));
  const binaries = await prepareBinaries(home, account);
  return await startServer({ home, account, binaries, settings });
}

async function serve(
  home: string,
  address: KeeperAddress,
  server: Server,
  reception: Reception,
): Promise<void> {
  await writeAddress(home, { ...address, url: server.url });
  reception.announce({ state: 'ready', url: server.url });
  await Promise.race([reception.empty, server.gone]);
}

function stoppedAtEnd(server: Server): Server & AsyncDisposable {
  return { ...server, [Symbol.asyncDispose]: () => server.stop() };
}

// Whoever signals a whole group or session also signals the users; the keeper ends when they have.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
const [home = '', settings = '{}'] = process.argv.slice(2);
await keep(home, SettingsArgument.parse(JSON.parse(settings)));
