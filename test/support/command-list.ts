/** The commands of the program, as its help lists them. */
import { runInProcess } from './run-in-process.ts';

export type ListedCommand = {
  /** `shops retire` */
  readonly name: string;
  readonly help: string;
};

/** All commands with their subcommands, in the order of the help; without those that are hidden. */
export async function listCommands(path: readonly string[] = []): Promise<readonly ListedCommand[]> {
  const { code, stdout: help } = await runInProcess([...path, '--help'], {});
  if (code !== 0) throw new Error(`order-sync ${path.join(' ')} --help ended with ${code}`);
  const [, listed = ''] = /^Commands:\n((?: {2}.*\n)+)/m.exec(help) ?? [];
  const names = [...listed.matchAll(/^ {2}([a-z][a-z-]+)\b/gm)].map(([, name = '']) => name);
  const below: ListedCommand[] = [];
  for (const name of names.filter((name) => name !== 'help')) {
    below.push(...(await listCommands([...path, name])));
  }
  return path.length === 0 ? below : [{ name: path.join(' '), help }, ...below];
}
