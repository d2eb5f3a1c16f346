/** A command in this process, which saves the start of another. */
import { runCommandLine } from '../../src/cli/program/program.ts';
import type { ExitCode } from '../../src/cli/output/io.ts';
import { cliContext } from './cli-context.ts';
import { NO_FILE } from './command-line.ts';
import { assertDocumented } from './json-lines.ts';

export type InProcess = { readonly code: ExitCode; readonly stdout: string; readonly stderr: string };

/**
 * @param watch called with all that it wrote to standard error so far
 * @param terminal its columns; undefined: what the command writes goes to a pipe
 * @param directory the folder that it runs in
 */
export async function runInProcess(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal = new AbortController().signal,
  watch: (stderr: string) => void = () => undefined,
  terminal?: number,
  directory = process.cwd(),
): Promise<InProcess> {
  let [stdout, stderr] = ['', ''];
  const out = (text: string) => void (stdout += text);
  const err = (text: string) => {
    stderr += text;
    watch(stderr);
  };
  const io = { out, err, isTerminal: terminal !== undefined, outColumns: () => terminal };
  const given = cliContext({ io: { ...io, columns: () => terminal ?? 100 }, directory, signal });
  const code = await runCommandLine({ ...given, env: { ...NO_FILE, ...env } }, args);
  assertDocumented(args, stdout);
  return { code, stdout, stderr };
}
