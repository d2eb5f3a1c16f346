import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';

import { plainEnvironment } from './child-process.ts';
import type { DataFolder, Installation } from './data-folder.ts';
import { logFileOf } from './home.ts';

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Reading here and there costs no more than reading on, on the disks of today.
  random_page_cost: '1.1',
  log_checkpoints: 'off',
  // Details and statements in the log would hold customers' data.
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
};

/** Starts the server program; settles when it runs, long before it answers. */
export async function launch(
  installation: Installation,
  data: DataFolder,
  port: number,
): Promise<ChildProcess> {
  const settings = Object.entries({ ...SETTINGS, ...installation.settings });
  const flags = settings.flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  await using log = await open(logFileOf(installation.home), 'a', 0o600);
  const child = spawn(installation.binaries.postgres, ['-D', data.path, '-p', String(port), ...flags], {
    ...installation.account,
    cwd: '/',
    env: plainEnvironment(),
    // Straight to the file, so that the server can outlive its keeper.
    stdio: ['ignore', log.fd, log.fd],
    windowsHide: true,
  });
  await once(child, 'spawn');
  return child;
}
