import { readFileSync } from 'node:fs';

import { z } from 'zod';

const packageFile = new URL('../package.json', import.meta.url);

/** Version of this program, as its package.json says; the same file seen from src/ and from dist/. */
export const VERSION = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(packageFile, 'utf8'))).version;
