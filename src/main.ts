#!/usr/bin/env node
/** The process edge: arguments, environment, signals and the exit code. Nothing else touches them. */
import { runCommandLine } from './cli/program.ts';

const interrupt = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // The second one does not wait for what is in flight.
    if (interrupt.signal.aborted) process.exit(130);
    interrupt.abort(new Error(`stopped by ${signal}`));
  });
}
// A reader that goes away, as `| head` does, ends the output and not the program.
process.stdout.on('error', () => undefined);

process.exitCode = await runCommandLine(
  {
    io: {
      out: (text) => process.stdout.write(text),
      err: (text) => process.stderr.write(text),
      isTerminal: process.stderr.isTTY,
      columns: process.stderr.columns ?? 100,
    },
    env: process.env,
    directory: process.cwd(),
    signal: interrupt.signal,
  },
  process.argv.slice(2),
);
