#!/usr/bin/env -S MALLOC_ARENA_MAX=1 node --max-semi-space-size=16 --heap-growing-percent=40
/**
 * The process edge: the only place that uses arguments, environment, signals and the exit code.
 *
 * The options above keep memory flat: a single arena of glibc for all threads; room for what is new, so that what lives as
 * long as a request is not kept like what lives for ever; and a heap that is collected before it has doubled, not after it
 * has grown fourfold.
 */

import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';

const MIN_NODE_VERSION = 26;
/**
 * Below it lie ES modules alone. Node.js 26 asks for each file that is imported what kind of module its package holds, and
 * parses a list of a thousand exports to know. The hook below answers that, and every command starts sooner.
 */
const MODULES_ONLY = '/node_modules/drizzle-orm/';

/** A little less than the grace period that container runtimes give a process to stop. */
const STOP_WITHIN_MS = 7_500;

const interrupt = new AbortController();
const stop = (signal: NodeJS.Signals) => {
  if (interrupt.signal.aborted) {
    // A second signal does not wait for work in flight. A terminal that closes may send more than one.
    if (signal !== 'SIGHUP') process.exit(130);
    return;
  }
  interrupt.abort(new Error(`stopped by ${signal}`));
  // Work that hangs can be cut off: every write is a transaction.
  setTimeout(() => process.exit(process.argv.includes('worker') ? 0 : 130), STOP_WITHIN_MS).unref();
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
// A reader that closes the pipe, like `| head`, ends the output but not the program.
const gone = new Set<NodeJS.WriteStream>();
for (const output of [process.stdout, process.stderr]) output.on('error', () => gone.add(output));

if (Number(process.versions.node.split('.')[0]) < MIN_NODE_VERSION) {
  process.stderr.write(
    `order-sync needs Node.js ${MIN_NODE_VERSION} or later; this is ${process.versions.node}. ` +
      `\`npm install node@${MIN_NODE_VERSION}\` adds one: with --global where order-sync was installed by that, ` +
      'else in the folder in which npx runs it.\n',
  );
  process.exitCode = 2;
} else {
  // Imported only now: an older Node.js lacks these, and could not even parse the rest.
  const { enableCompileCache, registerHooks } = await import('node:module');
  // Within the package, since anyone who can write there decides what runs. If it is not writable, there is no cache.
  enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/order-sync'));
  registerHooks({
    resolve(specifier, context, next) {
      const isInside = specifier.startsWith('.') && context.parentURL?.includes(MODULES_ONLY) === true;
      if (!isInside || !specifier.endsWith('.js')) return next(specifier, context);
      return { url: new URL(specifier, context.parentURL).href, format: 'module', shortCircuit: true };
    },
  });
  const { runCommandLine } = await import('./cli/program/program.ts');
  process.exitCode = await runCommandLine(
    {
      io: {
        out: (part) => process.stdout.write(part),
        err: (part) => process.stderr.write(part),
        isTerminal: process.stderr.isTTY,
        columns: () => process.stderr.columns ?? 100,
        outColumns: () => (process.stdout.isTTY ? process.stdout.columns : undefined),
        outIsOpen: () => !gone.has(process.stdout),
      },
      // Flags on Node's command line count like NODE_OPTIONS.
      env: {
        ...process.env,
        NODE_OPTIONS: [process.env['NODE_OPTIONS'] ?? '', ...process.execArgv].join(' '),
      },
      isInteractive: process.stdin.isTTY && process.stdout.isTTY,
      directory: process.cwd(),
      readInput: async () => (process.stdin.isTTY ? undefined : await buffer(process.stdin)),
      signal: interrupt.signal,
      onHangup: (listener) => {
        process.off('SIGHUP', stop).on('SIGHUP', listener);
        return { [Symbol.dispose]: () => void process.off('SIGHUP', listener).on('SIGHUP', stop) };
      },
    },
    process.argv.slice(2),
  );
}
