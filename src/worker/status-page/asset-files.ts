/**
 * The files that browsers load with the pages. Built, this module holds their text, so that a package and an image have
 * them without looking for files: see `.ci/bundle.ts`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, 'browser');

/** The text of each file, by its name. */
export const ASSET_FILES: Readonly<Record<string, string>> = Object.fromEntries(
  readdirSync(FOLDER)
    .filter((name) => /\.(css|js|svg)$/.test(name))
    .map((name) => [name, readFileSync(join(FOLDER, name), 'utf8')]),
);
