/** What commands print with `--json`, held to what docs/json.md says of it. */
import { z } from 'zod';

import { DOCUMENTS, FAILURE } from './documents/documents.ts';
import { EXAMPLES } from '../../src/cli/program/help.ts';

/** The documents of a command's standard output, one per line. */
export const jsonLines = (stdout: string): unknown[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

/**
 * @param args a command line; without `--json` nothing is asserted
 * @throws Error when a line is not as the command's schema says, or has keys that it does not know, and for a command that
 *   has no schema
 */
export function assertDocumented(args: readonly string[], stdout: string): void {
  if (!args.includes('--json')) return;
  const words = commandWords(args);
  const described = findDescribed(
    words,
    args.filter((arg) => arg.startsWith('-')),
  );
  const schema = described === undefined ? FAILURE : z.union([described.schema, FAILURE]);
  for (const document of jsonLines(stdout)) {
    const { error } = schema.safeParse(document);
    if (error === undefined) continue;
    if (described === undefined) {
      throw new Error(
        `\`${words[0]}\` prints JSON but is not in DOCUMENTS (test/support/documents/documents.ts): ${JSON.stringify(document)}`,
      );
    }
    const failed = `order-sync ${args.join(' ')}: not as docs/json.md says`;
    throw new Error(`${failed}: ${JSON.stringify(document)}\n${z.prettifyError(error)}`);
  }
}

const NAMES = new Set(EXAMPLES.map(([line]) => /\border-sync ([a-z-]+)/.exec(line)?.[1] ?? ''));

/** From the command on: the value of an option may stand before it. */
function commandWords(args: readonly string[]): readonly string[] {
  const words = args.filter((arg) => !arg.startsWith('-'));
  const first = words.findIndex((word) => NAMES.has(word));
  return words.slice(Math.max(0, first));
}

function findDescribed(words: readonly string[], options: readonly string[]) {
  const candidates = [
    ...options.map((option) => `${words[0]} ${option}`),
    // As in psql.
    ...(words[1]?.startsWith(String.raw`\d`) === true ? ['sql --views'] : []),
    words.slice(0, 2).join(' '),
    words[0],
  ];
  return candidates
    .map((candidate) => DOCUMENTS.find(({ commands }) => commands.some((name) => name === candidate)))
    .find((found) => found !== undefined);
}
