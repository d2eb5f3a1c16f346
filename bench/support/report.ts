/** What a benchmark found, as a section of docs/benchmarks.md. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export type Report = {
  readonly title: string;
  readonly intro: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
};

const DOCUMENT = join(import.meta.dirname, '../../docs/benchmarks.md');

export function reportText({ title, intro, columns, rows }: Report): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    `## ${title}`,
    '',
    intro,
    '',
    line(columns),
    line(columns.map(() => '---')),
    ...rows.map(line),
  ].join('\n');
}

/** Replaces the section of that name in docs/benchmarks.md, or adds it at the end. */
export async function writeReport(name: string, report: Report): Promise<void> {
  const [begin, end] = [`<!-- begin ${name} -->`, `<!-- end ${name} -->`];
  const section = `${begin}\n\n${reportText(report)}\n\n${end}`;
  const before = await readFile(DOCUMENT, 'utf8');
  const from = before.indexOf(begin);
  const after =
    from === -1
      ? `${before.trimEnd()}\n\n${section}\n`
      : before.slice(0, from) + section + before.slice(before.indexOf(end) + end.length);
  await writeFile(DOCUMENT, after);
}
