/** What commands print with `--json`, held to what docs/json.md says of it. */
import { z } from 'zod';

import { DOCUMENTS, FAILURE } from '../../src/cli/documents/documents.ts';

/** The documents of a command's standard output, one per line. */
export const jsonLines = (stdout: string): unknown[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

/**
 * @param args a command line; without `--json` nothing is asserted
 * @throws Error when a line is not as the command's schema says, or has keys that it does not know
 */
export function assertDocumented(args: readonly string[], stdout: string): void {
  const described = args.includes('--json') ? findDescribed(args) : undefined;
  if (described === undefined) return;
  const schema = z.union([described.schema, FAILURE]);
  for (const document of jsonLines(stdout)) {
    const { error } = schema.safeParse(document);
    if (error === undefined) continue;
    const failed = `order-sync ${args.join(' ')}: not as docs/json.md says`;
    throw new Error(`${failed}: ${JSON.stringify(document)}\n${z.prettifyError(error)}`);
  }
}

function findDescribed(args: readonly string[]) {
  const words = args.filter((arg) => !arg.startsWith('-'));
  const options = args.filter((arg) => arg.startsWith('-'));
  const candidates = [
    ...options.map((option) => `${words[0]} ${option}`),
    words.slice(0, 2).join(' '),
    words[0],
  ];
  return candidates
    .map((candidate) => DOCUMENTS.find(({ commands }) => commands.some((name) => name === candidate)))
    .find((found) => found !== undefined);
}
