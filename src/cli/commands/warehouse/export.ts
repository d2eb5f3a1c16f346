import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';

import { grouped } from '../../../amount-text.ts';
import { nearestName } from '../../../config/nearest-name.ts';
import { UsageError } from '../../../errors.ts';
import {
  type ExportProgress,
  type ExportRequest,
  type ExportResult,
  exportViews,
} from '../../../export/export-views.ts';
import { readManifest, readManifestFile } from '../../../export/manifest.ts';
import type { ExportFormat } from '../../../export/export-format.ts';
import { readViews, type View } from '../../../warehouse/query/read-views.ts';
import { createLogger, openWarehouse, readConfig } from '../../open.ts';
import { describeUnverified } from '../../output/describe-unverified.ts';
import { type CliContext, EXIT, type ExitCode, note, printResult } from '../../output/io.ts';
import { fitLine, showProgress } from '../../output/progress.ts';

export type ExportOptions = {
  readonly format: ExportFormat;
  readonly to: string;
  readonly view?: readonly string[];
  readonly since?: string;
};

/** What most reports read, and what its codes and ids mean. */
const USUAL = [
  'orders',
  'order_lines',
  'order_fields',
  'order_history',
  'products',
  'shops',
  'statuses',
  'user_groups',
];

/** `export`: views of `bi` as files, by shop and month; what did not change is left as it is. */
export async function exportCommand(context: CliContext, options: ExportOptions): Promise<ExitCode> {
  const config = readConfig(context);
  const folder = resolve(options.to);
  const since = await readSince(options.since);
  const held = since ?? (await readManifest(folder));
  if (held !== undefined && held.format !== options.format) {
    throw new UsageError(
      `the export before is of the format ${held.format}; use --format ${held.format}, or another folder`,
    );
  }
  await using warehouse = await openWarehouse(context, config);
  const views = chooseViews(await readViews(warehouse, ['bi']), options.view ?? USUAL);
  await makeFolder(folder, options.to);
  const began = performance.now();
  using view = showProgress(context, createLogger(context, config), 'export', exportLine);
  const { format } = options;
  const request: ExportRequest = {
    folder,
    format,
    views,
    since,
    now: Temporal.Now.instant(),
    signal: context.signal,
  };
  const result = await exportViews(warehouse, request, (read) => view.watch(read));
  const seconds = Math.round((performance.now() - began) / 100) / 10;
  view[Symbol.dispose]();
  printResult(
    context,
    [resultJson(folder, request, result, seconds)],
    resultText(options.to, result, seconds),
  );
  const line = describeUnverified(result.unverified, false);
  if (line !== undefined && !context.flags.json) note(context, line);
  return EXIT.done;
}

async function readSince(path: string | undefined) {
  if (path === undefined) return undefined;
  const since = await readManifestFile(path);
  if (since === undefined)
    throw new UsageError(`--since ${path}: there is no such file; it takes the manifest.json of an export`);
  return since;
}

async function makeFolder(folder: string, given: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (cause) {
    throw new UsageError(`--to ${given} cannot be made a folder`, { cause });
  }
}

function chooseViews(known: readonly View[], wanted: readonly string[]): readonly View[] {
  const names = known.map(({ name }) => name);
  return wanted.map((given) => {
    const name = given.replace(/^bi[.]/, '');
    const view = known.find((one) => one.name === name);
    if (view !== undefined) return view;
    const near = nearestName(name, names);
    throw new UsageError(
      `there is no view ${given} in bi${near === undefined ? '' : `; did you mean ${near}?`}`,
    );
  });
}

/** `export  ███░░░  42 %  orders · 10/24 files · 120,000 rows · 25,000 rows/s` */
function exportLine(name: string, progress: ExportProgress, elapsedMs: number, columns: number): string {
  const { view, partitions, done, rows } = progress;
  const perSecond = rows / Math.max(elapsedMs / 1000, 0.001);
  const parts = [
    view,
    `${grouped(done)}/${grouped(partitions)} files`,
    `${grouped(rows)} rows`,
    `${grouped(perSecond)} rows/s`,
  ];
  return fitLine(name, partitions === 0 ? 1 : done / partitions, parts, columns);
}

function resultJson(folder: string, { format }: ExportRequest, result: ExportResult, seconds: number) {
  const { written, unchanged, removed, rows, bytes, unverified } = result;
  return {
    status: 'ok',
    error: null,
    folder,
    format,
    files_written: written,
    files_unchanged: unchanged,
    files_removed: removed,
    rows,
    bytes,
    seconds,
    unverified,
  };
}

function resultText(folder: string, result: ExportResult, seconds: number): string {
  const { written, unchanged, removed, rows, bytes } = result;
  const gone = removed === 0 ? '' : `, ${grouped(removed)} removed`;
  const size = `${grouped(rows)} rows, ${(bytes / 1_000_000).toFixed(1)} MB`;
  return `${folder}: ${grouped(written)} files written (${size}), ${grouped(unchanged)} unchanged${gone}, in ${seconds} s\n`;
}
