/** The figures of the views' bench, as a page for people. */
import { cpus, totalmem } from 'node:os';

import type { LoadTimes } from './time-loads.ts';
import type { Timing } from './time-questions.ts';

export type ViewFigures = {
  readonly orders: number;
  readonly lines: number;
  readonly serverVersion: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly timings: readonly Timing[];
  /** The same questions to the definitions that count every order; of the views that no longer do. */
  readonly plain: readonly Timing[];
  readonly refreshAllMs: number;
  readonly refreshFewMs: number;
  readonly loads: LoadTimes;
  readonly loadAverage: number;
};

/** Markdown. */
export function reportOf(figures: ViewFigures): string {
  return `# Benchmarks

## The views at ${thousands(figures.orders)} orders

\`npm run bench:views -- --write\` fills a database with one shop's two years: ${thousands(figures.orders)} orders, ${thousands(figures.lines)} lines,
about three history entries an order, 150,000 users, two currencies. Then it asks each view what an analyst would ask.
Times are of the fastest of several runs, on the server, with making text of every row; "before" is the same question to
the view's definition that counts every order.

${tableOf(figures)}

The views answer from sums of days, months and customers. A write marks what it touches, and what is marked is counted
anew by whoever asks, until a refresh writes it down: the figures are exact at every moment.

- Counting all of it anew took ${seconds(figures.refreshAllMs)}; after 100 changed orders, spread over all months, a refresh
  took ${seconds(figures.refreshFewMs)}, since it counts the products of every month with a change.
- Marking costs ${markMs(figures.loads)} ms an order: ${thousands(Math.round(figures.loads.withMarks))} orders a second instead of ${thousands(Math.round(figures.loads.withoutMarks))}, written four
  transactions at once, with nothing asked of a shop.

Measured on ${new Date().toISOString().slice(0, 10)}: PostgreSQL ${figures.serverVersion}, ${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}),
${Math.round(totalmem() / 2 ** 30)} GiB of memory, load average ${figures.loadAverage.toFixed(1)}. ${settingsOf(figures)}.
`;
}

function tableOf({ timings, plain }: ViewFigures): string {
  const before = new Map(plain.map((timing) => [keyOf(timing), timing]));
  const rows = timings.map((timing) => [
    `\`${timing.question.view}\``,
    timing.question.restriction,
    milliseconds(before.get(keyOf(timing))),
    milliseconds(timing),
    thousands(timing.rows),
  ]);
  const head = ['view', 'restricted to', 'before, ms', 'now, ms', 'rows'];
  return [head, ['---', '---', '---:', '---:', '---:'], ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

const keyOf = ({ question }: Timing) => `${question.view.split('.')[1]} ${question.restriction}`;
const thousands = (count: number) => count.toLocaleString('en');
const milliseconds = (timing: Timing | undefined) =>
  timing === undefined ? '' : thousands(Math.round(timing.bestMs));
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
const markMs = ({ withMarks, withoutMarks }: LoadTimes) =>
  (1_000 / withMarks - 1_000 / withoutMarks).toFixed(2);

function settingsOf({ settings }: ViewFigures): string {
  const texts = Object.entries(settings).map(([name, value]) => `\`${name} = ${value}\``);
  return `Settings: ${texts.join(', ')}; all others PostgreSQL's own`;
}
