/** The questions of docs/questions.md, asked of a server with PostgreSQL's default settings. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Client } from 'pg';

import { sqlOf } from '../../test/docs/answers.ts';
import { type Timing, timeQuestion } from './time-question.ts';

export const DOCUMENTED_ORDERS = 200_000;
export const DOCUMENTED_WITHIN_MS = 2_000;
const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'questions.md');

/** The answers on the page are in RUB; the shop of the benchmark sells in EUR. */
export async function timeDocumented(client: Client, runs: number): Promise<readonly Timing[]> {
  // What the server was started with for the benchmark, such as a lower `random_page_cost`.
  await client.query(`
    SELECT set_config(name, boot_val, false) FROM pg_settings
    WHERE context = 'user' AND source = 'command line' AND name <> 'TimeZone'`);
  const timings: Timing[] = [];
  for (const [index, query] of sqlOf(await readFile(PAGE, 'utf8')).entries()) {
    const statement = query.replaceAll("'RUB'", "'EUR'").replace(/;\s*$/, '');
    const view = `question ${index + 1}`;
    const question = { view, restriction: 'as documented', withinMs: DOCUMENTED_WITHIN_MS };
    const timing = await timeQuestion(client, question, statement, runs);
    console.log(`${view}: ${timing.bestMs.toFixed(0)} ms`);
    timings.push(timing);
  }
  return timings;
}
