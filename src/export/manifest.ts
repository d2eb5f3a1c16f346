/** What a folder of exported views holds, and how much of it is proven. */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { z } from 'zod';

import { UsageError } from '../model/errors.ts';
import { EXPORT_FORMATS } from './export-format.ts';

const span = z.strictObject({ from: z.string().nullable(), to: z.string() });

const partition = z.strictObject({
  view: z.string(),
  /** Null: the view is not of shops. */
  shop: z.string().nullable(),
  /** `2026-03`; null: the view has no day, or these are the orders without a readable date. */
  month: z.string().nullable(),
  /** In the folder. */
  path: z.string(),
  rows: z.int(),
  sha256: z.string(),
  written_at: z.string(),
  /** Of the orders of the shop and month, if the view shows nothing else; null: only a comparison of the contents shows changes. */
  orders: z.strictObject({ count: z.int(), changed_at: z.string() }).nullable(),
});
export type ManifestPartition = z.infer<typeof partition>;

const manifest = z.strictObject({
  version: z.literal(1),
  format: z.enum(EXPORT_FORMATS),
  exported_at: z.string(),
  /** Names and types of the columns, by view. */
  columns: z.record(z.string(), z.array(z.strictObject({ name: z.string(), type: z.string() }))),
  partitions: z.array(partition),
  /** Paths of files of the export before that are gone. */
  removed: z.array(z.string()),
  verification: z.array(
    z.strictObject({
      shop: z.string(),
      month: z.string(),
      /** When the day of the month was verified that was verified first; null: one was never. */
      as_of: z.string().nullable(),
      /** Days that are not verified, and these with days of orders whose lines are not up to date. */
      unverified: z.array(span),
      unverified_lines: z.array(span),
    }),
  ),
});
export type Manifest = z.infer<typeof manifest>;

const NAME = 'manifest.json';

/** @returns undefined where a folder has none. @throws UsageError for a file that is no manifest */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  return await readManifestFile(join(folder, NAME));
}

/** @returns undefined where there is no such file. @throws UsageError for a file that is no manifest */
export async function readManifestFile(path: string): Promise<Manifest | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, 'code') === 'ENOENT') return undefined;
    throw new UsageError(`${path} cannot be read`, { cause: error });
  }
  try {
    return manifest.parse(JSON.parse(text));
  } catch (error) {
    throw new UsageError(`${path} is not the manifest of an export by this version`, { cause: error });
  }
}

/** Replaces the folder's manifest at once. */
export async function writeManifest(folder: string, value: Manifest): Promise<void> {
  const path = join(folder, NAME);
  await writeFile(`${path}.tmp`, `${JSON.stringify(value, null, 1)}\n`);
  await rename(`${path}.tmp`, path);
}
