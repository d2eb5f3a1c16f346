import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rmdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { grouped } from '../../../model/amount-text.ts';
import { UsageError } from '../../../model/errors.ts';
import { nextStep } from '../../../model/next-step.ts';
import { type ExportProgress, type ExportResult, exportViews } from '../../../export/export-views.ts';
import { readManifestFile } from '../../../export/manifest.ts';
import type { ExportFormat } from '../../../export/export-format.ts';
import { readViews, type View } from '../../../warehouse/query/read-views.ts';
import { createLogger } from '../../log.ts';
import { openWarehouse, readConfig } from '../../open.ts';
import type { CommandOptions } from '../../options.ts';
import { describeUnverified } from '../../output/describe-unverified.ts';
import { type CliContext, note } from '../../output/io.ts';
import { print } from '../../output/layout.ts';
import { perSecond, type ShownProgress, withProgress } from '../../output/progress.ts';

type ExportOptions = CommandOptions<'since'> & {
  readonly format: ExportFormat;
  readonly to: string;
  readonly view?: readonly string[];
};

/** What most reports read, and what its codes and ids mean. */
const USUAL = 'orders order_lines order_fields order_history products shops statuses user_groups'.split(' ');

/** `export`: views of `bi` as files, by shop and month; what did not change is left as it is. */
export async function exportCommand(context: CliContext, { format, to, view, ...options }: ExportOptions) {
  const config = readConfig(context);
  const folder = resolve(to);
  const since = await readSince(options.since);
  await using warehouse = await openWarehouse(context, config);
  await makeFolder(folder, to);
  const views = chooseViews(await readViews(warehouse, ['bi']), view ?? USUAL);
  const { signal } = context;
  const request = { folder, format, views, since, now: Temporal.Now.instant(), signal };
  const watched = { logger: createLogger(context, config), shop: { shopKey: 'export' } };
  const result = await withProgress(context, watched, exportProgress, (watch) =>
    exportViews(warehouse, request, watch),
  );
  print(context, [resultText(to, result)], [result]);
  const line = describeUnverified(result.unverified, false);
  if (line !== undefined && !context.flags.json) note(context, `${line}\n`);
}

async function readSince(path: string | undefined) {
  if (path === undefined) return undefined;
  const since = await readManifestFile(path);
  if (since === undefined)
    throw new UsageError(`--since ${path}: there is no such file; it takes the manifest.json of an export`);
  return since;
}

/** Before anything is read for it. @throws UsageError for a place that takes no file */
async function makeFolder(folder: string, given: string): Promise<void> {
  try {
    // Not recursive: below `/proc`, which takes no folder, Node.js would try for ever.
    if (!existsSync(folder)) await mkdir(folder);
    await rmdir(await mkdtemp(join(folder, '.export-')));
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error';
    throw new UsageError(`--to ${given} cannot be written (${code})`, { cause });
  }
}

function chooseViews(known: readonly View[], wanted: readonly string[]): readonly View[] {
  const asked = new Set(wanted.map((given) => given.replace(/^bi[.]/, '')));
  return [...asked].map((name) => {
    const view = known.find((one) => one.name === name);
    if (view !== undefined) return view;
    throw new UsageError(`there is no view ${name} in bi; ${nextStep('list views')} lists them all`);
  });
}

function exportProgress({ view, partitions, done, rows }: ExportProgress, elapsedMs: number): ShownProgress {
  const files = `${grouped(done)}/${grouped(partitions)} files`;
  const parts = [view, files, `${grouped(rows)} rows`, `${perSecond(rows, elapsedMs)} rows/s`];
  return { share: partitions === 0 ? 1 : done / partitions, parts };
}

/** @param folder as it was typed */
function resultText(folder: string, result: ExportResult): string {
  const { files_written, files_unchanged, files_removed, rows, bytes, seconds } = result;
  const gone = files_removed === 0 ? '' : `, ${grouped(files_removed)} removed`;
  const size = `${grouped(rows)} rows, ${(bytes / 1_000_000).toFixed(1)} MB`;
  const files = `${grouped(files_written)} files written (${size}), ${grouped(files_unchanged)} unchanged${gone}`;
  return `${folder}: ${files}, in ${seconds} s`;
}
