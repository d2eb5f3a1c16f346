/**
 * `npm run test:faults [FILTER...]`: puts each fault into a copy of this checkout, runs its tests there, and prints which
 * faults they noticed. A filter is an area of `all.ts`, or a part of the path of the faulty file.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { openTestServer, SMALL } from '../support/database-server.ts';
import * as AREAS from './all.ts';
import { openCopy, ROOT } from './copy.ts';
import type { Fault } from './fault.ts';
import { type Outcome, report } from './report.ts';
import { runTests } from './run-tests.ts';

const FAULT_WITHIN_MS = 180_000;
/** Without a fault, the tests of all faults run together. */
const SOUND_WITHIN_MS = 1_800_000;

const say = (text: string) => process.stdout.write(`${text}\n`);

process.exitCode = await main(process.argv.slice(2));

async function main(filters: readonly string[]): Promise<number> {
  const [chosen, misfits] = await fitting(choose(filters));
  for (const { file, find } of misfits) say(`NO LONGER FITS ${file}: ${find}`);
  if (chosen.length === 0) {
    say(`no fault matches; the areas are ${Object.keys(AREAS).join(', ')}`);
    return 1;
  }
  await using server = await openTestServer(say, SMALL);
  await using copy = await openCopy();
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());
  const run = (tests: readonly string[], withinMs: number) =>
    runTests({ folder: copy.folder, databaseUrl: server.url, signal: interrupted.signal }, tests, withinMs);

  say('Running the tests without a fault ...');
  const sound = await run([...new Set(chosen.flatMap(({ tests }) => tests))], SOUND_WITHIN_MS);
  if (sound.ended !== 'passed') {
    say(`${sound.output}\nThe tests must pass without a fault.`);
    return 1;
  }
  const outcomes: Outcome[] = [];
  for (const [index, fault] of chosen.entries()) {
    if (interrupted.signal.aborted) break;
    await using _ = await copy.withFault(fault);
    const { ended, seconds, failed = '' } = await run(fault.tests, FAULT_WITHIN_MS);
    if (interrupted.signal.aborted) break;
    outcomes.push({ fault, ended });
    const verdict = { passed: 'NOT NOTICED', failed: 'noticed', hung: 'hung' }[ended];
    const text = `${fault.file}: ${fault.replace}\n    ${failed}`.trimEnd();
    say(`${index + 1}/${chosen.length} ${verdict} in ${Math.round(seconds)} s: ${text}`);
  }
  say(report(outcomes));
  const isAllNoticed = outcomes.every(({ ended }) => ended !== 'passed');
  return isAllNoticed && outcomes.length === chosen.length && misfits.length === 0 ? 0 : 1;
}

/** @returns those whose text occurs once in their file, and the others */
async function fitting(faults: readonly Fault[]): Promise<readonly [readonly Fault[], readonly Fault[]]> {
  const places = faults.map(async ({ file, find }) => {
    const text = await readFile(join(ROOT, file), 'utf8').catch(() => '');
    return text.split(find).length - 1;
  });
  const counts = await Promise.all(places);
  return [faults.filter((_, index) => counts[index] === 1), faults.filter((_, index) => counts[index] !== 1)];
}

function choose(filters: readonly string[]): readonly Fault[] {
  const all = Object.entries(AREAS).flatMap(([area, faults]) => faults.map((fault) => ({ area, fault })));
  const isChosen = (area: string, file: string) =>
    filters.length === 0 || filters.some((filter) => filter === area || file.includes(filter));
  return all.filter(({ area, fault }) => isChosen(area, fault.file)).map(({ fault }) => fault);
}
