#!/usr/bin/env node
/** The process edge: arguments, environment, signals and the exit code. Nothing else touches them. */

const OLDEST_NODE = 26;

/** A little less than what container runtimes give a process that was told to stop. */
const STOP_WITHIN_MS = 7_500;

const interrupt = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    // The second one does not wait for what is in flight.
    if (interrupt.signal.aborted) process.exit(130);
    interrupt.abort(new Error(`stopped by ${signal}`));
    // What hangs now loses nothing: every write is a transaction.
    setTimeout(() => process.exit(process.argv[2] === 'worker' ? 0 : 130), STOP_WITHIN_MS).unref();
  });
}
// A reader that goes away, as `| head` does, ends the output and not the program.
for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);

if (Number(process.versions.node.split('.')[0]) < OLDEST_NODE) {
  process.stderr.write(
    `order-sync needs Node.js ${OLDEST_NODE} or later; this is ${process.versions.node}.\n`,
  );
  process.exitCode = 2;
} else {
  // Imported only now: an older Node.js would not even parse the rest.
  const { quickenImports } = await import('./module-resolve-hook.ts');
  quickenImports();
  const { runCommandLine } = await import('./cli/program.ts');
  process.exitCode = await runCommandLine(
    {
      io: {
        out: (text) => process.stdout.write(text),
        err: (text) => process.stderr.write(text),
        isTerminal: process.stderr.isTTY,
        columns: () => process.stderr.columns ?? 100,
      },
      // How Node.js was started is a setting too, whichever way it was told.
      env: {
        ...process.env,
        NODE_OPTIONS: [process.env['NODE_OPTIONS'] ?? '', ...process.execArgv].join(' '),
      },
      directory: process.cwd(),
      signal: interrupt.signal,
      onHangup: (listener) => {
        process.on('SIGHUP', listener);
        return { [Symbol.dispose]: () => void process.off('SIGHUP', listener) };
      },
    },
    process.argv.slice(2),
  );
}
