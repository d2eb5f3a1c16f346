import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { openDatabase } from '../../../src/warehouse/db/database.ts';
import { withClient } from '../../support/database-clients.ts';
import { freshDatabase } from '../../support/database.ts';
import { type Life, life } from './life.ts';
import { runLife, type Warehouse } from './run-life.ts';
import { complaint, type Ended, Tally } from './tally.ts';
import { withoutSums } from './means.ts';
import { IS_LONG } from '../../support/long.ts';

/**
 * The lives that every run of the tests lives through: some with a crash, a refusal or a day that two sweeps read. HOSTILE_SEED=1
 * HOSTILE_RUNS=200 with a fault in the program shows which lives notice it; who changes how lives are made chooses anew. The last
 * one was not repaired once: orders without a date were not asked for any more.
 */
const SEEDS: readonly number[] = [4, 22, 28, 308];

/** Every life has a seed of its own: HOSTILE_SEED=SEED HOSTILE_RUNS=1 is the life that a failure names. */
const FIRST_SEED = Number(process.env['HOSTILE_SEED'] ?? process.env['FC_SEED']);
const RUNS = Number(process.env['HOSTILE_RUNS'] ?? (IS_LONG ? 500 : SEEDS.length));
const isEveryday = !IS_LONG && process.env['HOSTILE_SEED'] === undefined;
const CHOSEN = isEveryday ? SEEDS : Array.from({ length: RUNS }, (_, index) => FIRST_SEED + index);
/** Each sweep looks at all shops of its database, so a new one is begun now and then. */
const RUNS_PER_DATABASE = 200;
/** Lives at once: while one awaits the database, another goes on. */
const LANES = 4;
const CONNECTIONS_PER_LANE = 6;
const SHRINK_WITHIN_MS = 90_000;
const HOUR_MS = 3_600_000;
/** A run ends after so many lives that went wrong: they have been enough to learn from. */
const MAX_FAILED = Number(process.env['HOSTILE_MAX_FAILED'] ?? 20);

/** The life of a seed; where asked for, shrunk to the smallest that still goes wrong. */
async function liveSeed(warehouse: Warehouse, seed: number, isShrunk: boolean) {
  const ended: { first: Ended | undefined } = { first: undefined };
  let tries = 0;
  const property = fc.asyncProperty(life, async (given: Life) => {
    const shopKey = `${seed}-${isShrunk ? 'shrunk-' : ''}${tries++}`;
    const end: Ended = await runLife(warehouse, shopKey, given).catch((error: unknown) => ({ broke: error }));
    ended.first ??= end;
    const said = complaint(end);
    if (said !== undefined) throw new Error(said);
  });
  const limit = isShrunk ? { interruptAfterTimeLimit: SHRINK_WITHIN_MS } : { endOnFailure: true };
  const details = await fc.check(property, { seed, numRuns: 1, ...limit });
  return { ended: ended.first, details };
}

/** Several lives at once, in a database of their own. */
async function liveSeeds(seeds: readonly number[], tally: Tally): Promise<void> {
  await using fresh = await freshDatabase();
  await withoutSums(fresh.url);
  const left = [...seeds].toReversed();
  const lane = () =>
    inLane(fresh.url, async (warehouse) => {
      while (tally.failedSeeds.length < MAX_FAILED) {
        const seed = left.pop();
        if (seed === undefined) return;
        const { ended } = await liveSeed(warehouse, seed, false);
        if (ended !== undefined) tally.add(seed, ended);
      }
    });
  await Promise.all(Array.from({ length: LANES }, lane));
}

/** A life waits until its own database connections are at rest, so no two lives share a pool. */
async function inLane<Result>(url: string, work: (warehouse: Warehouse) => Promise<Result>): Promise<Result> {
  await using database = await openDatabase(url, CONNECTIONS_PER_LANE);
  return await withClient(url, (client) => work({ client, db: database.db }));
}

/** What the first life that went wrong comes down to. */
async function shrunkFailure(seed: number): Promise<string> {
  await using fresh = await freshDatabase();
  await withoutSums(fresh.url);
  const { details } = await inLane(fresh.url, (warehouse) => liveSeed(warehouse, seed, true));
  const { counterexample, errorInstance } = details;
  return `HOSTILE_SEED=${seed} HOSTILE_RUNS=1\n${JSON.stringify(counterexample)}\n${String(errorInstance)}`;
}

test(
  'whatever happens to shop, database and process, no verified day differs from the shop, and once all is well, one sync repairs everything',
  { timeout: isEveryday ? HOUR_MS / 2 : 24 * HOUR_MS },
  async () => {
    const tally = new Tally();
    const began = performance.now();
    const say = () => {
      const seconds = Math.round((performance.now() - began) / 1000);
      process.stdout.write(`hostile: HOSTILE_SEED=${CHOSEN[0]}, ${seconds} s, ${tally.text()}\n`);
    };
    for (let done = 0; done < CHOSEN.length; done += RUNS_PER_DATABASE) {
      if (IS_LONG) say();
      await liveSeeds(CHOSEN.slice(done, done + RUNS_PER_DATABASE), tally);
    }
    say();
    const [failed] = tally.failedSeeds;
    expect(failed === undefined ? '' : await shrunkFailure(failed)).toBe('');
    // What never happens proves nothing.
    if (CHOSEN.length < SEEDS.length) return;
    const { length } = CHOSEN;
    const { daysVerified = 0, warranties, skewedDays, crashes, orders, endless, sweeps = 0 } = tally.sums;
    expect(daysVerified).toBeGreaterThan(5 * length);
    expect(warranties).toBeGreaterThan(length);
    expect(skewedDays).toBeLessThan(daysVerified / 100);
    expect(crashes).toBeGreaterThan(0);
    expect(orders).toBeGreaterThan(5 * length);
    // A shop that hardly shows anything and changes all the while may take any number of requests; few do.
    expect(endless).toBeLessThan(sweeps / 100);
  },
);
