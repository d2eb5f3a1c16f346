/** Where the program's own files are. This module lies in `src/` itself, and what is built of it lies flat in `dist/`. */
import { fileURLToPath } from 'node:url';

/** The folder of package.json, drizzle/ and either src/ or dist/. */
export const PACKAGE_ROOT = fileURLToPath(new URL('../', import.meta.url));
