/** Views of `bi` as files of Parquet or CSV, by shop and month. */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

import type { Client } from 'pg';

import { TerminalError, UsageError } from '../model/errors.ts';
import type { Database } from '../warehouse/db/database.ts';
import { TRANSACTION_SETTINGS } from '../warehouse/db/transactions.ts';
import type { View } from '../warehouse/query/read-views.ts';
import { takeRole } from '../warehouse/query/take-role.ts';
import type { UnverifiedShop } from '../warehouse/query/unverified-days.ts';
import { copyRows } from './copy-rows.ts';
import { type Manifest, type ManifestPartition, readManifest, writeManifest } from './manifest.ts';
import type { ExportFormat } from './export-format.ts';
import { openFile } from './partition-file.ts';
import {
  columnNames,
  findUnchanged,
  type Partition,
  partitionPath,
  partitionQuery,
  readPartitions,
  toExportView,
} from './partitions.ts';
import { readVerdicts, verificationOf } from './verification.ts';

export type ExportRequest = {
  readonly folder: string;
  readonly format: ExportFormat;
  readonly views: readonly View[];
  /** What is there already, where it is not in the folder: only what changed since is written. */
  readonly since: Manifest | undefined;
  readonly now: Temporal.Instant;
  readonly signal: AbortSignal;
};

export type ExportProgress = {
  readonly view: string;
  readonly partitions: number;
  readonly done: number;
  readonly rows: number;
};

/** What `--json` prints of an export. */
export type ExportResult = {
  readonly status: 'ok';
  readonly error: null;
  readonly folder: string;
  readonly format: ExportFormat;
  readonly files_written: number;
  readonly files_unchanged: number;
  readonly files_removed: number;
  /** Of the files that were written. */
  readonly rows: number;
  readonly bytes: number;
  /** To the tenth. */
  readonly seconds: number;
  readonly unverified: readonly UnverifiedShop[];
};

type Run = ExportRequest & {
  readonly client: Client;
  readonly before: Manifest | undefined;
  readonly countRow: () => void;
};

/**
 * Writes the partitions of views that changed, as bi_reader and as of one moment. Each file appears whole, under its name, when it
 * is complete; the manifest last. What is interrupted is taken up by the next export.
 *
 * @throws UsageError where the export before is of another format
 */
export async function exportViews(
  database: Pick<Database, 'connect'>,
  request: ExportRequest,
  watch: (read: () => ExportProgress) => void,
): Promise<ExportResult> {
  const client = await database.connect();
  try {
    await client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${TRANSACTION_SETTINGS}`);
    // Compiling a query takes longer than most partitions.
    await client.query('SET LOCAL jit = off');
    await claimFolder(client, request.folder);
    await takeRole(client, 'bi_reader');
    return await exportAll(request, client, watch);
  } finally {
    // What still runs is cut off.
    await client.end();
  }
}

/** Until the transaction ends. @throws TerminalError while another export writes into the folder */
async function claimFolder(client: Client, folder: string): Promise<void> {
  const { rows } = await client.query<{ is_claimed: boolean }>(
    'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS is_claimed',
    [`an export into ${folder}`],
  );
  if (rows[0]?.is_claimed !== true)
    throw new TerminalError(`another export writes into ${folder}; wait until it has ended`);
}

async function exportAll(
  request: ExportRequest,
  client: Client,
  watch: (read: () => ExportProgress) => void,
): Promise<ExportResult> {
  const beganMs = performance.now();
  const { folder, format, now, signal } = request;
  const before = await readBefore(request);
  const views = request.views.map(toExportView);
  const partitions = await readPartitions(client, views);
  const verdicts = await readVerdicts(client);
  const progress = { view: '', partitions: partitions.length, done: 0, rows: 0 };
  watch(() => ({ ...progress }));
  const countRow = () => {
    signal.throwIfAborted();
    progress.rows += 1;
  };
  const entries: ManifestPartition[] = [];
  for (const partition of partitions) {
    signal.throwIfAborted();
    progress.view = partition.view.name;
    entries.push(await settlePartition({ ...request, client, before, countRow }, partition));
    progress.done += 1;
  }
  const written = entries.filter((entry) => entry.written_at === now.toString());
  const sizes = await Promise.all(written.map(async ({ path }) => (await stat(join(folder, path))).size));
  const isExported = ({ view }: ManifestPartition) => views.some(({ name }) => name === view);
  const [known, paths] = [before?.partitions ?? [], new Set(entries.map(({ path }) => path))];
  const others = known.filter((entry) => !isExported(entry));
  const gone = known.flatMap((entry) => (isExported(entry) && !paths.has(entry.path) ? [entry.path] : []));
  for (const path of gone) await rm(join(folder, path), { force: true });
  const all = [...others, ...entries];
  const columns = Object.fromEntries(views.map((view) => [view.name, columnNames(view.columns)]));
  await writeManifest(folder, {
    version: 1,
    format,
    exported_at: now.toString(),
    columns: { ...before?.columns, ...columns },
    partitions: all,
    removed: gone,
    verification: [...verificationOf(all, verdicts)],
  });
  const sum = (figures: readonly number[]) => figures.reduce((one, other) => one + other, 0);
  return {
    status: 'ok',
    error: null,
    folder,
    format,
    files_written: written.length,
    files_unchanged: entries.length - written.length,
    files_removed: gone.length,
    rows: sum(written.map(({ rows }) => rows)),
    bytes: sum(sizes),
    seconds: Math.round((performance.now() - beganMs) / 100) / 10,
    unverified: verdicts.unverified,
  };
}

/** What the export before wrote. @throws UsageError where that is of another format */
async function readBefore({ since, folder, format }: ExportRequest): Promise<Manifest | undefined> {
  const before = since ?? (await readManifest(folder));
  if (before === undefined || before.format === format) return before;
  throw new UsageError(
    `the export before is of the format ${before.format}; use --format ${before.format}, or another folder`,
  );
}

/** The entry of a partition: the one before, if it did not change and its file is there; else that of a file that is written. */
async function settlePartition(run: Run, partition: Partition): Promise<ManifestPartition> {
  const { before, client, countRow, folder, format, now, since } = run;
  const { view, shop, month, orders } = partition;
  // With `since`, files may have been moved elsewhere.
  const isThere = (path: string) => since !== undefined || existsSync(join(folder, path));
  const kept = findUnchanged(partition, format, before);
  if (kept !== undefined && isThere(kept.path)) return kept;
  const path = partitionPath(partition, format);
  const target = join(folder, path);
  const part = `${target}.tmp`;
  await mkdir(dirname(target), { recursive: true });
  const file = openFile(part, format, view.columns);
  let rows = 0;
  await copyRows(client, partitionQuery(partition, format), format, (row) => {
    file.take(row);
    rows += 1;
    countRow();
  });
  file.finish();
  const sha256 = await digest(part);
  const same = before?.partitions.find((entry) => entry.path === path && entry.sha256 === sha256);
  const written_at = same !== undefined && isThere(path) ? same.written_at : now.toString();
  // A file with the contents that the manifest names is no new one, but replaces what is there: that may be another.
  if (same !== undefined && since !== undefined) await rm(part);
  else await rename(part, target);
  return { view: view.name, shop, month, path, rows, sha256, written_at, orders };
}

async function digest(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
