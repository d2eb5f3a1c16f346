import { randomInt } from 'node:crypto';

import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { withClient } from '../../support/database-clients.ts';
import { inWarehouse, type Opened } from '../../support/sweep.ts';
import { scenario } from './model-commands.ts';
import { runScenario, type Tally } from './model-run.ts';
import { SHAPES } from './model-shapes.ts';

const isLong = (process.env['TEST_LONG'] ?? '') !== '';
const RUNS = Number(process.env['MODEL_RUNS'] ?? (isLong ? 20_000 : 50));
/** A database grows with its shops, so a new one is begun now and then. */
const RUNS_PER_DATABASE = 300;
/** Runs at once: while one awaits the database, another goes on. */
const LANES = 3;
const HOUR_MS = 3_600_000;

/**
 * Every run has a seed of its own, and the shop's shape follows from it: MODEL_SEED=SEED MODEL_RUNS=1 is the run that a
 * failure names. The everyday runs are the same ones each time; the long ones are others.
 */
const FIRST_SEED = Number(process.env['MODEL_SEED'] ?? (isLong ? randomInt(1_000_000_000) : 34_755_536));

async function runSeed(warehouse: Opened, seed: number, tally: Tally): Promise<void> {
  const shape = SHAPES[seed % SHAPES.length];
  if (shape === undefined) throw new RangeError(`MODEL_SEED=${seed} is not a whole number of 0 or more`);
  let tries = 0;
  const property = fc.asyncProperty(scenario, (given) =>
    runScenario(warehouse, `${seed}-${tries++}`, shape, given, tally),
  );
  await fc.assert(property, { seed, numRuns: 1 });
}

test(
  'whatever happens to shop, network, database and process, verified days equal the shop, and after the faults everything does',
  { timeout: isLong ? 10 * HOUR_MS : 300_000 },
  async () => {
    const tally: Tally = { sweeps: 0, crashes: 0, faults: 0, marks: 0, daysCompared: 0, orders: 0 };
    const began = performance.now();
    for (let done = 0; done < RUNS; done += RUNS_PER_DATABASE) {
      const end = Math.min(RUNS, done + RUNS_PER_DATABASE);
      if (isLong) process.stdout.write(`model: MODEL_SEED=${FIRST_SEED}, ${done} of ${RUNS} runs\n`);
      await inWarehouse(async (warehouse) => {
        let next = done;
        const lane = () =>
          withClient(warehouse.url, async (client) => {
            while (next < end) await runSeed({ ...warehouse, client }, FIRST_SEED + next++, tally);
          });
        await Promise.all(Array.from({ length: LANES }, lane));
      });
    }
    const seconds = Math.round((performance.now() - began) / 1000);
    process.stdout.write(
      `model: MODEL_SEED=${FIRST_SEED}, ${RUNS} runs in ${seconds} s, ${JSON.stringify(tally)}\n`,
    );
    // What never happens proves nothing.
    if (RUNS < 50) return;
    expect(tally.daysCompared).toBeGreaterThan(RUNS);
    expect(tally.faults).toBeGreaterThan(RUNS / 4);
    expect(tally.marks).toBeGreaterThan(RUNS / 20);
    expect(tally.crashes).toBeGreaterThan(RUNS / 20);
  },
);
