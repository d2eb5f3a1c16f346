import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

import { inRepository } from '../docs/markdown.ts';

const run = promisify(execFile);

/** The program that the variable DBT names, or `dbt` on the path; undefined if there is none. */
export function findDbt(): string | undefined {
  const named = process.env['DBT'] ?? '';
  if (named !== '') return existsSync(named) ? named : undefined;
  const usual = 'dbt';
  // Its other editions go by the same name. It takes seconds to say which one it is.
  const { stdout } = spawnSync(usual, ['--version'], { encoding: 'utf8' });
  return typeof stdout === 'string' && /installed: 1\.[\s\S]*postgres: 1\./.test(stdout) ? usual : undefined;
}

export type DbtOutcome = { readonly ok: boolean; readonly output: string };

/** Runs a command of dbt on the package, or on another project, as the login of the URL; what dbt writes for itself goes to `folder`. */
export async function runDbt(
  program: string,
  args: readonly string[],
  databaseUrl: string,
  folder: string,
  project = inRepository('dbt'),
): Promise<DbtOutcome> {
  const url = new URL(databaseUrl);
  const settings = {
    DBT_HOST: url.hostname,
    DBT_PORT: url.port,
    DBT_USER: url.username,
    DBT_PASSWORD: url.password,
    DBT_DATABASE: url.pathname.slice(1),
    DBT_LOG_PATH: `${folder}/logs`,
    DBT_TARGET_PATH: `${folder}/target`,
    // Nobody reads them, and it takes time to write them.
    DBT_LOG_LEVEL_FILE: 'none',
    DBT_WRITE_JSON: 'false',
    DBT_SEND_ANONYMOUS_USAGE_STATS: 'false',
  };
  const options = { cwd: project, env: { ...process.env, ...settings } };
  try {
    const { stdout } = await run(program, [...args, '--no-use-colors', '--profiles-dir', '.'], options);
    return { ok: true, output: stdout };
  } catch (error) {
    return { ok: false, output: String(Reflect.get(Object(error), 'stdout') ?? error) };
  }
}
