import { readFile } from 'node:fs/promises';

import { UsageError } from '../../../errors.ts';
import { readStatementText } from '../../../warehouse/query/statement-text.ts';
import type { CliContext } from '../../output/io.ts';
import { nextStep } from '../../../next-step.ts';

const NO_QUERY =
  `a query is needed: ${nextStep('ask a query')}, --file FILE, or a query on standard input; ` +
  `${nextStep('list views')} lists what it can read`;

/**
 * From the arguments, the file or standard input, but one of them only.
 *
 * @throws UsageError when there is none, or when it is no text
 */
export async function readQueryText(
  { readInput }: CliContext,
  given: readonly string[],
  file: string | undefined,
): Promise<string> {
  if (given.length > 1) {
    throw new UsageError(`put the query in quotes, as one argument: ${nextStep('ask a query')}`);
  }
  const [argument] = given;
  if (argument !== undefined && file !== undefined) throw new UsageError('give a query or --file, not both');
  const text =
    argument ?? (file === undefined ? await readStandardInput(readInput) : await readQueryFile(file));
  if (text === undefined) throw new UsageError(NO_QUERY);
  if (readStatementText(text).count === 0) throw new UsageError('the query is empty');
  return text;
}

async function readStandardInput(readInput: CliContext['readInput']): Promise<string | undefined> {
  const bytes = await readInput();
  return bytes === undefined ? undefined : decode(bytes, 'standard input');
}

async function readQueryFile(file: string): Promise<string> {
  return decode(await readBytes(file), `--file ${file}`);
}

async function readBytes(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
    throw new UsageError(`--file ${file} cannot be read (${String(code)})`, { cause: error });
  }
}

/** A query in another encoding would run, and look for texts that nobody wrote. */
function decode(bytes: Uint8Array, source: string): string {
  const refusal = `${source} is not UTF-8; save the query in this encoding`;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    // UTF-16, or no text at all.
    if (text.includes('\0')) throw new UsageError(refusal);
    return text;
  } catch (cause) {
    throw cause instanceof UsageError ? cause : new UsageError(refusal, { cause });
  }
}
