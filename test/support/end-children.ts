/** In each process of tests: time enough for a test file as the machine is now, and an end to all that it leaves running. */
import { afterAll, vi } from 'vitest';

import { killChildren } from './children.ts';
import { endFile } from './file-end.ts';
import { testTimeoutMs } from './patience.ts';

const timeoutMs = testTimeoutMs();
vi.setConfig({ testTimeout: timeoutMs, hookTimeout: timeoutMs });
// A test that failed in the middle may have left some, also ones that stand still.
afterAll(killChildren);
afterAll(endFile);
