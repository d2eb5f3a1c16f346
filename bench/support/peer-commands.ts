/** The other readers of the benchmarks, each in a process of its own. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { runMeasured, runPython } from './measured-command.ts';

const PEERS = join(import.meta.dirname, '../peers');
const ENVIRONMENT = join(PEERS, '.venv');
const PYTHON = join(ENVIRONMENT, 'bin/python');

type Env = Readonly<Record<string, string>>;

export const runScript = (env: Env) => runMeasured([], env, join(PEERS, 'plain-script.ts'));

export const runDlt = (env: Env) =>
  runPython(PYTHON, join(PEERS, 'dlt_shop.py'), {
    ...env,
    EXTRACT__WORKERS: '16',
    EXTRACT__MAX_PARALLEL_ITEMS: '64',
    RUNTIME__DLTHUB_TELEMETRY: 'false',
  });

/** @returns whether dlt is there now */
export function installDlt(): boolean {
  try {
    if (!existsSync(PYTHON)) execFileSync('python3', ['-m', 'venv', ENVIRONMENT]);
    // Nothing is done where it is installed already.
    execFileSync(PYTHON, ['-m', 'pip', 'install', '--quiet', '-r', join(PEERS, 'requirements.txt')]);
    return true;
  } catch {
    console.log('dlt is left out: there is no Python 3 with venv and pip, or no dlt for it');
    return false;
  }
}
