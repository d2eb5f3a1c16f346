/** In each process of tests: fast-check begins with the seed of this run, unless a test gives its own. */
import * as fc from 'fast-check';

import { testTimeoutMs } from './patience.ts';

const given = process.env['FC_SEED'] ?? '';
if (!/^-?\d+$/.test(given)) throw new RangeError(`FC_SEED=${given} is not a whole number`);
fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  seed: Number(given),
  // So that what failed is shown, if not in its shortest form, before the test is out of time.
  interruptAfterTimeLimit: Math.round(testTimeoutMs() * 0.8),
  // Nothing counts as tried that was not.
  markInterruptAsFailure: true,
});
