import { readFile } from 'node:fs/promises';

import { UsageError } from '../../errors.ts';
import { parseDurationMs } from '../../plan/freshness.ts';
import { listShops } from '../../warehouse/directory/registered-shops.ts';
import { QueryError } from '../../warehouse/query/query-error.ts';
import { readQuery } from '../../warehouse/query/read-query.ts';
import { listViews } from '../../warehouse/query/list-views.ts';
import { openDemoDatabase } from '../demo-database.ts';
import { openWarehouse, readConfig } from '../open.ts';
import { type CliContext, EXIT, type ExitCode, note } from '../output/io.ts';
import { describeQueryFailure } from '../output/query-failure.ts';
import { csvWriter } from '../output/rows/csv.ts';
import { jsonWriter } from '../output/rows/json-rows.ts';
import { RESULT_FORMATS, type ResultFormat, type WriteRows } from '../output/rows/result-format.ts';
import { tableWriter } from '../output/rows/result-table.ts';

export type SqlOptions = {
  readonly file?: string;
  readonly format: string;
  readonly json?: boolean;
  readonly timeout: string;
  readonly timezone?: string;
  readonly pii?: boolean;
  readonly demo?: boolean;
};

/** `sql`: one query as a reading role, with its result on standard output. */
export async function sqlCommand(
  context: CliContext,
  given: string | undefined,
  options: SqlOptions,
): Promise<ExitCode> {
  const write = chooseWriter(context, options);
  const timeoutMs = parseDurationMs(options.timeout);
  if (timeoutMs === undefined || timeoutMs === 0) {
    throw new UsageError(`--timeout ${options.timeout} is no duration such as 60s or 10m`);
  }
  const text = await readText(context, given, options.file);
  await using warehouse = await (options.demo === true
    ? openDemoDatabase(context)
    : openWarehouse(context, readConfig(context)));
  const role = options.pii === true ? 'bi_pii_reader' : 'bi_reader';
  const searchPath = options.pii === true ? 'bi, bi_pii' : 'bi';
  const shops = await listShops(warehouse.db);
  if (shops.length === 0) {
    note(
      context,
      'This warehouse has no shop yet: `order-sync backfill` loads one; --demo queries what the demo loaded.\n',
    );
  }
  const timezone = readZone(options.timezone) ?? commonZone(shops);
  const { signal } = context;
  const asJson = formatOf(options) === 'json';
  try {
    await readQuery(warehouse, { text, role, searchPath, timezone, timeoutMs, asJson, signal }, write);
    return EXIT.done;
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    if (signal.aborted) {
      context.io.err('Interrupted.\n');
      return EXIT.interrupted;
    }
    const views = await listViews(warehouse, searchPath.split(', '));
    context.io.err(describeQueryFailure(error, text, { views, role, timeout: options.timeout }));
    return EXIT.failed;
  }
}

const formatOf = ({ format, json }: SqlOptions) => (json === true ? 'json' : format);

function chooseWriter({ io }: CliContext, options: SqlOptions): WriteRows {
  const writers: Readonly<Record<ResultFormat, (output: typeof io) => WriteRows>> = {
    table: tableWriter,
    csv: csvWriter,
    json: jsonWriter,
  };
  const format = RESULT_FORMATS.find((known) => known === formatOf(options));
  if (format !== undefined) return writers[format](io);
  throw new UsageError(`--format ${options.format} is unknown; it is ${RESULT_FORMATS.join(', ')}`);
}

/** From the argument, the file or standard input, but one of them only. */
async function readText(
  { readInput }: CliContext,
  given: string | undefined,
  file: string | undefined,
): Promise<string> {
  if (given !== undefined && file !== undefined) throw new UsageError('give a query or --file, not both');
  const text = given ?? (file === undefined ? await readInput() : await readQueryFile(file));
  if (text === undefined) {
    throw new UsageError(
      'a query is needed: order-sync sql "SELECT …", --file FILE, or a query on standard input',
    );
  }
  if (text.trim() === '') throw new UsageError('the query is empty');
  return text;
}

async function readQueryFile(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
    throw new UsageError(`--file ${file} cannot be read (${String(code)})`, { cause: error });
  }
}

function readZone(given: string | undefined): string | undefined {
  try {
    return given === undefined ? undefined : Temporal.Now.zonedDateTimeISO(given).timeZoneId;
  } catch (cause) {
    throw new UsageError(`--timezone ${given} is no time zone such as Europe/Berlin or UTC`, { cause });
  }
}

/** The zone of all shops, if they share one. */
function commonZone(shops: readonly { readonly timezone: string }[]): string {
  const [zone, ...others] = new Set(shops.map(({ timezone }) => timezone));
  return zone !== undefined && others.length === 0 ? zone : 'UTC';
}
