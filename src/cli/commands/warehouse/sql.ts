import { isUtf8 } from 'node:buffer';

import type { Command } from 'commander';

import { nextStep } from '../../../model/next-step.ts';
import * as types from '../../../config/setting-types.ts';
import { UsageError } from '../../../model/errors.ts';
import { listShops } from '../../../warehouse/directory/registered-shops.ts';
import type { Database } from '../../../warehouse/db/database.ts';
import { QueryError, readQuery } from '../../../warehouse/query/read-query.ts';
import { readViews } from '../../../warehouse/query/read-views.ts';
import { openDemoDatabase, openWarehouse } from '../../open.ts';
import { type Given, readAs, readOption } from '../../options.ts';
import { type CliContext, EXIT, type ExitCode, note } from '../../output/io.ts';
import { describeQueryFailure } from '../../output/query-failure.ts';
import { describeUnverified } from '../../output/describe-unverified.ts';
import { commonZone } from '../../shops.ts';
import { csvWriter, jsonWriter, tableWriter, type WriteRows } from '../../output/query-result.ts';
import { printViews } from './sql-views.ts';

type SqlOptions = Given<'timezone', 'json' | 'pii' | 'demo'> & {
  /** True: all of them. */
  readonly views?: string | true;
  readonly format: keyof typeof WRITERS;
  readonly timeout: string;
};

const WRITERS: Readonly<Record<'table' | 'csv' | 'json', (io: CliContext['io']) => WriteRows>> = {
  table: tableWriter,
  csv: csvWriter,
  json: jsonWriter,
};
/** All views that a reader may be shown, with `--pii` or without. */
const SCHEMAS = ['bi', 'bi_pii'];

/** `sql`: one query as a reading role, with its result on standard output; or what there is to query. */
export async function sqlCommand(
  context: CliContext,
  _query: string | undefined,
  options: SqlOptions,
  { args: given }: Command,
): Promise<ExitCode> {
  const timeoutMs = readAs(types.duration, options.timeout, '--timeout');
  const zone = readOption(types.zone, options.timezone, '--timezone');
  const text = await readQueryText(context, given, options);
  await using warehouse = await (options.demo === true ? openDemoDatabase(context) : openWarehouse(context));
  if (text !== undefined) return await runQuery(context, warehouse, { ...options, text, timeoutMs, zone });
  const view = options.views === true ? undefined : options.views;
  const schemas = options.pii === true ? SCHEMAS : ['bi'];
  printViews(context, await readViews(warehouse, SCHEMAS), { view, schemas, asJson: isJson(options) });
  return EXIT.done;
}

type Query = SqlOptions & {
  readonly text: string;
  readonly timeoutMs: number;
  readonly zone: string | undefined;
};

async function runQuery(context: CliContext, warehouse: Database, query: Query): Promise<ExitCode> {
  const { io, signal } = context;
  const { text, timeoutMs } = query;
  const role = query.pii === true ? 'bi_pii_reader' : 'bi_reader';
  const searchPath = query.pii === true ? 'bi, bi_pii' : 'bi';
  const shops = await listShops(warehouse.db);
  if (shops.length === 0) {
    note(
      context,
      `This warehouse has no shop yet: \`${nextStep('load shop')}\` loads one; --demo queries what the demo loaded.\n`,
    );
  }
  const timezone = query.zone ?? commonZone(shops);
  const asJson = isJson(query);
  const write = WRITERS[asJson ? 'json' : query.format](io);
  const request = { text, role, searchPath, timezone, timeoutMs, signal } as const;
  try {
    await readQuery(warehouse, request, async (result) => {
      await write(result);
      const line = describeUnverified(result.unverified, shops.length === 1);
      if (!asJson && line !== undefined) note(context, `${line}\n`);
    });
    return EXIT.done;
  } catch (error) {
    if (signal.aborted) {
      io.err('Interrupted.\n');
      return EXIT.interrupted;
    }
    if (!(error instanceof QueryError)) throw error;
    io.err(describeQueryFailure(error, text));
    return EXIT.failed;
  }
}

const isJson = ({ format, json }: SqlOptions) => json === true || format === 'json';

const NO_QUERY = `a query is needed: ${nextStep('ask a query')}, or one on standard input; ${nextStep('list views')} lists what it can read`;

/**
 * The query of the arguments or of standard input; undefined where views are asked for.
 *
 * @throws UsageError
 */
async function readQueryText(
  { readInput }: CliContext,
  given: readonly string[],
  { views }: SqlOptions,
): Promise<string | undefined> {
  if (given.length > 0 && views !== undefined) throw new UsageError('give a query or --views, not both');
  if (views !== undefined) return undefined;
  if (given.length > 1) {
    throw new UsageError(`put the query in quotes, as one argument: ${nextStep('ask a query')}`);
  }
  const bytes = given.length === 0 ? await readInput() : undefined;
  const text = given[0] ?? (bytes && decode(bytes));
  if (text === undefined) throw new UsageError(NO_QUERY);
  if (text.trim() === '') throw new UsageError('the query is empty');
  return text;
}

/** A query in another encoding would run, and look for texts that nobody wrote. */
function decode(bytes: Uint8Array): string {
  // UTF-16, or no text at all, has such zeros.
  if (isUtf8(bytes) && !bytes.includes(0)) return new TextDecoder().decode(bytes);
  throw new UsageError('standard input is not UTF-8; save the query in this encoding');
}
