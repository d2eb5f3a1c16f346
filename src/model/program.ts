/** What the program knows of itself: where its own files are, and its version. */
import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname } from 'node:path';

const manifest = findPackageJSON(import.meta.url);
if (manifest === undefined) throw new Error('there is no package.json above the program');

/** The folder of package.json, drizzle/ and either src/ or dist/. */
export const PACKAGE_ROOT = dirname(manifest);

const own: { readonly version: string } = JSON.parse(readFileSync(manifest, 'utf8'));

export const VERSION = own.version;
