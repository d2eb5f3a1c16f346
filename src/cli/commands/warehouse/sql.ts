import { isUtf8 } from 'node:buffer';

import type { Command } from 'commander';

import { nextStep } from '../../../model/next-step.ts';
import * as types from '../../../config/setting-types.ts';
import { UsageError } from '../../../model/errors.ts';
import { listShops } from '../../../warehouse/directory/registered-shops.ts';
import type { Database } from '../../../warehouse/db/database.ts';
import { readQuery } from '../../../warehouse/query/read-query.ts';
import { fullName, readViews, type View } from '../../../warehouse/query/read-views.ts';
import { openDemoDatabase, openWarehouse } from '../../open.ts';
import { type CommandOptions, readAs, readOption } from '../../options.ts';
import { type CliContext, note } from '../../output/io.ts';
import { type Block, print } from '../../output/layout.ts';
import { describeUnverified } from '../../output/describe-unverified.ts';
import { commonZone } from '../../shops.ts';
import { writeCsv, writeJson, writeTable } from '../../output/query-result.ts';

type SqlOptions = CommandOptions<'timezone', 'pii' | 'demo'> & {
  /** True: all of them. */
  readonly views?: string | true;
  readonly format: keyof typeof WRITERS;
  readonly timeout: string;
};

const WRITERS = { table: writeTable, csv: writeCsv, json: writeJson } as const;
/** All views that a reader may be shown, with `--pii` or without. */
const SCHEMAS = ['bi', 'bi_pii'];

/** `sql`: one query as a reading role, with its result on standard output; or what there is to query. */
export async function sqlCommand(
  context: CliContext,
  _query: string | undefined,
  options: SqlOptions,
  { args: given }: Command,
): Promise<void> {
  const { views, demo } = options;
  if (given.length > 0 && views !== undefined) throw new UsageError('give a query or --views, not both');
  const timeoutMs = readAs(types.duration, options.timeout, '--timeout');
  const zone = readOption(types.zone, options.timezone, '--timezone');
  const text = views === undefined ? await readQueryText(context, given) : '';
  await using warehouse = await (demo === true ? openDemoDatabase(context) : openWarehouse(context));
  if (views === undefined) return await runQuery(context, warehouse, { ...options, text, timeoutMs, zone });
  const isPii = options.pii === true;
  const known = await readViews(warehouse, SCHEMAS);
  const shown =
    views === true ? known.filter((view) => mayRead(view, isPii)) : [findView(known, views, isPii)];
  const overview = shown.map((view) => [fullName(view), firstSentence(view.comment)]);
  const blocks = views === true ? [{ table: [['view', 'about'], ...overview] }] : shown.flatMap(viewText);
  print(context, blocks, shown.map(viewDocument));
}

type Query = SqlOptions & {
  readonly text: string;
  readonly timeoutMs: number;
  readonly zone: string | undefined;
};

async function runQuery(context: CliContext, warehouse: Database, query: Query): Promise<void> {
  const { text, timeoutMs, format, pii } = query;
  const shops = await listShops(warehouse.db);
  if (shops.length === 0) {
    note(
      context,
      `This warehouse has no shop yet: \`${nextStep('load shop')}\` loads one; --demo queries what the demo loaded.\n`,
    );
  }
  const reader =
    pii === true
      ? ({ role: 'bi_pii_reader', searchPath: 'bi, bi_pii' } as const)
      : ({ role: 'bi_reader', searchPath: 'bi' } as const);
  const timezone = query.zone ?? commonZone(shops);
  const request = { text, ...reader, timezone, timeoutMs, signal: context.signal };
  await readQuery(warehouse, request, async (result) => {
    await WRITERS[format](context.io, result);
    const line = describeUnverified(result.unverified, shops.length === 1);
    if (format !== 'json' && line !== undefined) note(context, `${line}\n`);
  });
}

const NO_QUERY = `a query is needed: ${nextStep('ask a query')}, or one on standard input; ${nextStep('list views')} lists what it can read`;

/** The query of the arguments or of standard input. @throws UsageError */
async function readQueryText({ readInput }: CliContext, given: readonly string[]): Promise<string> {
  if (given.length > 1) {
    throw new UsageError(`put the query in quotes, as one argument: ${nextStep('ask a query')}`);
  }
  const bytes = given.length === 0 ? await readInput() : undefined;
  const text = given[0] ?? (bytes && decode(bytes));
  if (text === undefined) throw new UsageError(NO_QUERY);
  if (text.trim() === '') throw new UsageError('the query is empty');
  return text;
}

/** A query in another encoding would run, but search for other texts than intended. */
function decode(bytes: Uint8Array): string {
  // UTF-16, or no text at all, has such zeros.
  if (isUtf8(bytes) && !bytes.includes(0)) return new TextDecoder().decode(bytes);
  throw new UsageError('standard input is not UTF-8; save the query in this encoding');
}

const mayRead = ({ schema }: View, isPii: boolean) => isPii || schema === 'bi';

/** @param asked as it was typed, with or without its schema. @throws UsageError when there is no such view */
function findView(views: readonly View[], asked: string, isPii: boolean): View {
  const name = asked.replaceAll('"', '').toLowerCase();
  const found = views.find((view) => [view.name, fullName(view)].includes(name));
  if (found === undefined)
    throw new UsageError(`there is no view ${asked}; ${nextStep('list views')} lists them all`);
  if (mayRead(found, isPii)) return found;
  throw new UsageError(`${fullName(found)} holds personal data: --pii shows it`);
}

const firstSentence = (comment: string) => /^.*?[.](?=\s|$)/s.exec(comment)?.[0] ?? comment;

function viewText(view: View): readonly Block[] {
  const rows = view.columns.map(({ name, type, comment }) => [name, type, comment]);
  const about = view.comment === '' ? [] : [view.comment];
  return [fullName(view), ...about, '', { table: [['column', 'type', 'about'], ...rows] }];
}

const viewDocument = (view: View) => ({
  view: fullName(view),
  comment: view.comment,
  columns: view.columns,
});
