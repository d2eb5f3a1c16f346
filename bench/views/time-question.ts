/** Measures how long a server takes to answer. */
import type { Client } from 'pg';

import type { Question } from './questions.ts';

export type Timing = {
  readonly question: Question;
  readonly rows: number;
  /** Of the fastest run, with planning, and with making text of every row as it would be sent. */
  readonly bestMs: number;
  readonly runs: number;
};

/** What takes long is not asked again and again. */
const LONG_MS = 2_000;

/** The best of several runs: what else the machine does can only make a run slower. */
export async function timeQuestion(
  client: Client,
  question: Question,
  statement: string,
  runs: number,
): Promise<Timing> {
  const times: number[] = [];
  let rows = 0;
  while (times.length < runs) {
    const run = await explain(client, statement);
    times.push(run.ms);
    rows = run.rows;
    if (run.ms > LONG_MS) break;
  }
  return { question, rows, bestMs: Math.min(...times), runs: times.length };
}

type Explained = {
  readonly Plan: { readonly 'Actual Rows': number };
  readonly 'Planning Time': number;
  readonly 'Execution Time': number;
};

async function explain(client: Client, statement: string): Promise<{ rows: number; ms: number }> {
  const { rows } = await client.query<{ 'QUERY PLAN': readonly Explained[] }>(
    `EXPLAIN (ANALYZE, SERIALIZE TEXT, TIMING OFF, BUFFERS OFF, FORMAT JSON) ${statement}`,
  );
  const [explained] = rows[0]?.['QUERY PLAN'] ?? [];
  if (explained === undefined) throw new Error(`no plan of ${statement}`);
  return {
    rows: explained.Plan['Actual Rows'],
    ms: explained['Planning Time'] + explained['Execution Time'],
  };
}
