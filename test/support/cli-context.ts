/** What a command gets, without a process: it writes to memory, and nothing answers it. */
import type { CliContext, Flags, Io } from '../../src/cli/output/io.ts';

type Wanted = Partial<Omit<CliContext, 'io' | 'flags'>> & {
  readonly io?: Partial<Io>;
  readonly flags?: Partial<Flags>;
};

/** @returns the context, and all that was written: each call of its own */
export function cliContext({ io, flags, ...more }: Wanted = {}): CliContext & {
  readonly written: { readonly out: string[]; readonly err: string[] };
} {
  const written: { out: string[]; err: string[] } = { out: [], err: [] };
  return {
    written,
    io: {
      out: (text) => void written.out.push(text),
      err: (text) => void written.err.push(text),
      isTerminal: false,
      columns: () => 80,
      outColumns: () => undefined,
      outIsOpen: () => true,
      ...io,
    },
    flags: { debug: false, json: false, quiet: false, command: 'sync', ...flags },
    env: {},
    isInteractive: false,
    directory: '.',
    readInput: async () => Promise.resolve(undefined),
    signal: new AbortController().signal,
    onHangup: () => new DisposableStack(),
    ...more,
  };
}
