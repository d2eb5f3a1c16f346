/** What a benchmark found, as a section of docs/benchmarks.md. */
import { readFile, writeFile } from 'node:fs/promises';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';

import type { Bench, BenchOptions, Findings } from './bench.ts';

const DOCUMENT = join(import.meta.dirname, '../../docs/benchmarks.md');
const NUMBER = /^[\d,.]*( %)?$/;

export function reportText(bench: Bench, options: BenchOptions, { rows, notes = [] }: Findings): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = bench.columns.map((_, at) =>
    rows.every((cells) => NUMBER.test(cells[at] ?? '')) ? '---:' : '---',
  );
  const table = [line(bench.columns), line(rule), ...rows.map(line)].join('\n');
  return [`## ${bench.title(options)}`, bench.intro(options), table, ...notes, measuredOn()].join('\n\n');
}

/** Replaces the section of that name in docs/benchmarks.md, or adds it at the end. */
export async function writeReport(name: string, text: string): Promise<void> {
  const [begin, end] = [`<!-- begin ${name} -->`, `<!-- end ${name} -->`];
  const section = `${begin}\n\n${text}\n\n${end}`;
  const before = await readFile(DOCUMENT, 'utf8');
  const from = before.indexOf(begin);
  const after =
    from === -1
      ? `${before.trimEnd()}\n\n${section}\n`
      : before.slice(0, from) + section + before.slice(before.indexOf(end) + end.length);
  await writeFile(DOCUMENT, after);
}

function measuredOn(): string {
  const [cpu] = cpus();
  return (
    `Measured on ${new Date().toISOString().slice(0, 10)}: ${cpus().length} cores (${cpu?.model ?? 'unknown'}), ` +
    `${Math.round(totalmem() / 2 ** 30)} GiB of memory, shop and PostgreSQL on the same machine, load average ${(loadavg()[1] ?? 0).toFixed(1)} at the end.`
  );
}
