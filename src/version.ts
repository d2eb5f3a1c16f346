import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { z } from 'zod';

import { PACKAGE_ROOT } from './paths.ts';

const packageFile = join(PACKAGE_ROOT, 'package.json');

export const VERSION = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(packageFile, 'utf8'))).version;
