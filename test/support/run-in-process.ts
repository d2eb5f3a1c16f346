import { runCommandLine } from '../../src/cli/program.ts';

/** A command in this process, which saves the start of another. */
export async function runInProcess(args: readonly string[], env: Readonly<Record<string, string>>) {
  let [stdout, stderr] = ['', ''];
  const out = (text: string) => void (stdout += text);
  const err = (text: string) => void (stderr += text);
  const io = { out, err, isTerminal: false, columns: () => 100 };
  const { signal } = new AbortController();
  const code = await runCommandLine(
    { io, env, directory: process.cwd(), signal, onHangup: () => new DisposableStack() },
    args,
  );
  return { code, stdout, stderr };
}
