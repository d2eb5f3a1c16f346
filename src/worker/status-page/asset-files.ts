/**
 * The files that browsers load with the pages. Built, this module holds their text, so that a package and an image have
 * them without looking for files: see `.ci/bundle.ts`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The packages that some are of. */
export const ASSET_PACKAGES = ['uplot'];

/** Where each comes from: a package, or the folder beside this module, in which declarations are for the compiler. */
const SOURCES: Readonly<Record<string, string>> = {
  'uplot.js': 'uplot/dist/uPlot.iife.min.js',
  'uplot.css': 'uplot/dist/uPlot.min.css',
  ...Object.fromEntries(
    readdirSync(join(import.meta.dirname, 'browser'))
      .filter((name) => /\.(css|js|svg)$/.test(name))
      .map((name) => [name, `./browser/${name}`]),
  ),
};

/** The text of each file, by its name. */
export const ASSET_FILES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(SOURCES).map(([name, source]) => [
    name,
    readFileSync(fileURLToPath(import.meta.resolve(source)), 'utf8'),
  ]),
);
