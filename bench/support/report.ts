/** What a benchmark found, as a section of docs/benchmarks.md. */
import { readFile, writeFile } from 'node:fs/promises';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';

import type { Bench, BenchOptions, Findings } from './benchmark.ts';

const DOCUMENT = join(import.meta.dirname, '../../docs/benchmarks.md');
const LINE_LENGTH = 120;
const NUMBER = /^-?[\d,.]*( %)?$/;

export function reportText(
  name: string,
  bench: Bench,
  options: BenchOptions,
  { rows, notes = [] }: Findings,
): string {
  const table = tableText(bench.columns, rows);
  const below = [...notes, measuredBy(name)].map(wrapped);
  return [`## ${bench.title(options)}`, wrapped(bench.intro(options)), table, ...below].join('\n\n');
}

/** A paragraph in lines. */
function wrapped(text: string): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > LINE_LENGTH) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines.join('\n');
}

/** Columns of figures to the right, and padded as the formatter has it. */
function tableText(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const shapes = columns.map((name, at) => {
    const cells = rows.map((row) => row[at] ?? '');
    const width = Math.max(3, name.length, ...cells.map(({ length }) => length));
    return { width, isRight: cells.every((cell) => NUMBER.test(cell)) };
  });
  const line = (cells: readonly string[]) => {
    const padded = shapes.map(({ width, isRight }, at) =>
      isRight ? (cells[at] ?? '').padStart(width) : (cells[at] ?? '').padEnd(width),
    );
    return `| ${padded.join(' | ')} |`;
  };
  const rule = shapes.map(({ width, isRight }) =>
    isRight ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width),
  );
  return [line(columns), line(rule), ...rows.map(line)].join('\n');
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

function measuredBy(name: string): string {
  const [cpu] = cpus();
  return (
    `Measured by \`npm run bench -- ${name}\` on ${new Date().toISOString().slice(0, 10)}: ${cpus().length} cores (${cpu?.model ?? 'unknown'}), ` +
    `${Math.round(totalmem() / 2 ** 30)} GiB of memory, shop and PostgreSQL on the same machine, load average ${(loadavg()[1] ?? 0).toFixed(1)} at the end.`
  );
}
