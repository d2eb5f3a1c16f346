/**
 * The files that browsers load with the pages. Built, this module holds their text, so that a package and an image have
 * them without looking for files: see `.ci/bundle.ts`.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The packages that some are of. */
export const ASSET_PACKAGES = ['uplot'];

/** Where each comes from: the folder beside this module, or a package. */
const SOURCES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      'base.css',
      'tables.css',
      'overview.css',
      'shop.css',
      'calendar.css',
      'icon.svg',
      'main.js',
      'live.js',
      'filter.js',
      'calendar.js',
      'charts.js',
      'chart-options.js',
    ].map((name) => [name, `./browser/${name}`]),
  ),
  'uplot.js': 'uplot/dist/uPlot.iife.min.js',
  'uplot.css': 'uplot/dist/uPlot.min.css',
};

/** The text of each file, by its name. */
export const ASSET_FILES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(SOURCES).map(([name, source]) => [
    name,
    readFileSync(fileURLToPath(import.meta.resolve(source)), 'utf8'),
  ]),
);
