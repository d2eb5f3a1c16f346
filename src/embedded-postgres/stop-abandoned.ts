/** Stops the server of a home (the argument) after one of its users was killed, unless others use it. */
import { setTimeout as sleep } from 'node:timers/promises';

import { dataFolderOf } from './home.ts';
import { takeLock } from './lock.ts';
import { findPostmaster, register, unregister } from './server.ts';

/** A server that was just launched may still turn up, and one that runs may not have noticed that its user is gone. */
const ATTEMPTS = 10;
const PAUSE_MS = 300;

const [home = ''] = process.argv.slice(2);
for (let attempt = 0; attempt < ATTEMPTS && !(await stopIfUnused()); await sleep(PAUSE_MS)) {
  const isStarting = (await findPostmaster(dataFolderOf(home)))?.isReady === false;
  attempt += isStarting ? 0 : 1;
}

async function stopIfUnused(): Promise<boolean> {
  using _lock = await takeLock(home);
  const registration = await register(dataFolderOf(home));
  return registration !== undefined && (await unregister(registration, dataFolderOf(home)));
}
