/** Views of `bi` as files of Parquet or CSV, by shop and month. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

import type { Client } from 'pg';

import type { Database } from '../warehouse/db/database.ts';
import { TRANSACTION_SETTINGS } from '../warehouse/db/session.ts';
import type { View } from '../warehouse/query/read-views.ts';
import { takeRole } from '../warehouse/query/reader-function.ts';
import type { UnverifiedShop } from '../warehouse/query/unverified-days.ts';
import { copyOut } from './copy-out.ts';
import { type Manifest, type ManifestPartition, readManifest, writeManifest } from './manifest.ts';
import type { ExportFormat } from './export-format.ts';
import { COPY_FORMAT } from './partition-file.ts';
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

export type ExportResult = {
  readonly written: number;
  readonly unchanged: number;
  readonly removed: number;
  /** Of the files that were written. */
  readonly rows: number;
  readonly bytes: number;
  readonly unverified: readonly UnverifiedShop[];
};

type Run = ExportRequest & { readonly client: Client; readonly before: Manifest | undefined };

/**
 * Writes the partitions of views that changed, as bi_reader and as of one moment. Each file appears whole, under its name, when it
 * is complete; the manifest last. What is interrupted is taken up by the next export.
 */
export async function exportViews(
  database: Pick<Database, 'connect'>,
  request: ExportRequest,
  watch: (read: () => ExportProgress) => void,
): Promise<ExportResult> {
  const client = await database.connect();
  try {
    await client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${TRANSACTION_SETTINGS}`);
    await takeRole(client, 'bi_reader');
    // Compiling a query takes longer than most partitions.
    await client.query('SET LOCAL jit = off');
    const before = request.since ?? (await readManifest(request.folder));
    return await exportAll({ ...request, client, before }, watch);
  } finally {
    await client.query('ROLLBACK').catch(() => undefined);
    await client.end();
  }
}

async function exportAll(run: Run, watch: (read: () => ExportProgress) => void): Promise<ExportResult> {
  const { client, format, folder, before, now } = run;
  const views = run.views.map((view) => toExportView(view, format));
  const partitions = await readPartitions(client, views);
  const verdicts = await readVerdicts(client);
  const entries: ManifestPartition[] = [];
  const written = { count: 0, rows: 0, bytes: 0 };
  let [view, rows] = ['', 0];
  watch(() => ({ view, partitions: partitions.length, done: entries.length, rows }));
  for (const partition of partitions) {
    run.signal.throwIfAborted();
    view = partition.view.name;
    const kept = await findKept(run, partition);
    const entry = kept ?? (await writePartition(run, partition, (read) => (rows += read)));
    entries.push(entry);
    if (entry.written_at !== now.toString()) continue;
    written.count += 1;
    written.rows += entry.rows;
    written.bytes += (await stat(join(folder, entry.path))).size;
  }
  const exported = new Set(views.map(({ name }) => name));
  const others = before?.partitions.filter((entry) => !exported.has(entry.view)) ?? [];
  const paths = new Set(entries.map(({ path }) => path));
  const gone = before?.partitions.filter((entry) => exported.has(entry.view) && !paths.has(entry.path)) ?? [];
  for (const { path } of gone) await rm(join(folder, path), { force: true });
  const all = [...others, ...entries];
  await writeManifest(folder, {
    version: 1,
    format,
    exported_at: now.toString(),
    columns: {
      ...before?.columns,
      ...Object.fromEntries(views.map(({ name, columns }) => [name, columnNames(columns)])),
    },
    partitions: all,
    removed: gone.map(({ path }) => path),
    verification: [...verificationOf(all, verdicts)],
  });
  const { count, ...size } = written;
  const unchanged = entries.length - count;
  return { written: count, unchanged, removed: gone.length, ...size, unverified: verdicts.unverified };
}

/** The entry of a partition that did not change, and whose file is there. */
async function findKept(run: Run, partition: Partition): Promise<ManifestPartition | undefined> {
  const entry = findUnchanged(partition, run.format, run.before);
  return entry !== undefined && (await isThere(run, entry.path)) ? entry : undefined;
}

/** With `since`, files may have been moved elsewhere. */
async function isThere({ folder, since }: Run, path: string): Promise<boolean> {
  if (since !== undefined) return true;
  return access(join(folder, path)).then(
    () => true,
    () => false,
  );
}

async function writePartition(
  run: Run,
  partition: Partition,
  tell: (rows: number) => void,
): Promise<ManifestPartition> {
  const { folder, format, before, now } = run;
  const { view, shop, month, orders } = partition;
  const path = partitionPath(partition, format);
  const target = join(folder, path);
  const part = `${target}.tmp`;
  await mkdir(dirname(target), { recursive: true });
  const rows = await writeRows(run, partition, part, tell);
  const sha256 = await digest(part);
  const entry = { view: view.name, shop, month, path, rows, sha256, written_at: now.toString(), orders };
  const held = before?.partitions.find((known) => known.path === path);
  if (held?.sha256 === sha256 && (await isThere(run, path))) {
    await rm(part);
    return { ...entry, written_at: held.written_at };
  }
  await rename(part, target);
  return entry;
}

async function writeRows(
  { client, format, signal }: Run,
  partition: Partition,
  path: string,
  tell: (rows: number) => void,
): Promise<number> {
  using file = partition.view.open(path);
  let count = 0;
  const text = `COPY (${partitionQuery(partition, format)}) TO STDOUT (${COPY_FORMAT[format]})`;
  await copyOut(client, text, (chunk) => {
    signal.throwIfAborted();
    const rows = file.take(chunk);
    count += rows;
    tell(rows);
  });
  file.finish();
  return count;
}

async function digest(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
