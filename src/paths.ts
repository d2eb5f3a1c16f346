/** Where the program's own files are. This module lies in `src/` itself, and what is built of it lies flat in `dist/`. */
import { fileURLToPath } from 'node:url';

const isBuilt = import.meta.filename.endsWith('.js');

/** The folder of package.json, drizzle/ and either src/ or dist/. */
export const PACKAGE_ROOT = fileURLToPath(new URL('../', import.meta.url));

/** The script of the process that keeps the embedded server running. */
export const KEEPER_SCRIPT = fileURLToPath(
  new URL(isBuilt ? 'keeper.js' : 'warehouse/embedded/keeper.ts', import.meta.url),
);
