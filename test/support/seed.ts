/** In each process of tests: fast-check begins with the seed of this run, unless a test gives its own. */
import * as fc from 'fast-check';

const given = process.env['FC_SEED'] ?? '';
if (!/^-?\d+$/.test(given)) throw new RangeError(`FC_SEED=${given} is not a whole number`);
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(given) });
