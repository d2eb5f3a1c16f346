/** The commands and the SQL that README and docs tell people to run. */
import { readdir, readFile } from 'node:fs/promises';

import { inRepository } from './markdown.ts';

export type Documented = {
  readonly page: string;
  readonly kind: 'sql' | 'line' | 'sentence';
  /** One line of a shell, with the lines that continue it; or a block of SQL. Comments and schedules are left out. */
  readonly text: string;
};

/** Their queries are asked by `answers.pg.test.ts`. */
const ANSWERED = ['docs/questions.md', 'docs/data-dictionary.md'];
const BLOCK = /^ *```(?<language>\w*)\n(?<code>.*?)^ *```/gms;
const SHELL = ['sh', 'bash', 'shell', 'console', 'crontab'];
/** Within a sentence, only what stands there as a whole command. */
const SPAN = /`(?<code>(?:order-sync|npm run (?:--silent )?order-sync --|docker compose|kubectl) [^`]+)`/g;
const SCHEDULE = /^(?:\S+ ){5}/;

export async function readPages(): Promise<ReadonlyMap<string, string>> {
  const names = (await readdir(inRepository('docs'))).filter((name) => name.endsWith('.md'));
  const paths = ['README.md', ...names.toSorted().map((name) => `docs/${name}`)];
  const texts = await Promise.all(paths.map((path) => readFile(inRepository(path), 'utf8')));
  return new Map(paths.map((path, at) => [path, texts[at] ?? '']));
}

/** The commands in a page's sentences, each once, then those in its blocks: these go on from one to the next. */
export function documentedIn(page: string, markdown: string): readonly Documented[] {
  const blocks = [...markdown.matchAll(BLOCK)].flatMap(({ groups }) =>
    inBlock(page, groups?.['language'] ?? '', groups?.['code'] ?? ''),
  );
  const prose = markdown.replaceAll(BLOCK, '').replaceAll(/\s*\n\s*/g, ' ');
  const spans = new Set([...prose.matchAll(SPAN)].map(({ groups }) => groups?.['code'] ?? ''));
  for (const { text } of blocks) spans.delete(text);
  return [...[...spans].map((text): Documented => ({ page, kind: 'sentence', text })), ...blocks];
}

function inBlock(page: string, language: string, code: string): readonly Documented[] {
  if (language === 'sql') return ANSWERED.includes(page) ? [] : [{ page, kind: 'sql', text: code.trim() }];
  if (!SHELL.includes(language)) return [];
  return linesOf(code).map((line) => ({ page, kind: 'line', text: withoutSchedule(line, language) }));
}

const withoutSchedule = (line: string, language: string) =>
  language === 'crontab' ? line.replace(SCHEDULE, '') : line;

function linesOf(code: string): readonly string[] {
  return code
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => line.replace(/(?:^|\s+)#.*/, '').trim())
    .filter((line) => line !== '');
}
