/** The commands and the SQL that README and docs tell people to run. */
import { readdir, readFile } from 'node:fs/promises';

import { inRepository } from './markdown.ts';

export type Documented = {
  readonly page: string;
  readonly isSql: boolean;
  /** In a sentence, not in a block, whose lines go on from one to the next. */
  readonly isMentioned: boolean;
  /** Whom the text before a block of SQL names, such as `copier` or the owner; undefined: nobody. */
  readonly role?: string | undefined;
  /** One line of a shell, with the lines that continue it; or a block of SQL. Comments and schedules are left out. */
  readonly text: string;
};

/** Their queries are asked by `answers.pg.test.ts`. */
const ANSWERED = ['docs/questions.md', 'docs/data-dictionary.md'];
const BLOCK = /^ *```(?<language>\w*)\n(?<code>.*?)^ *```/gms;
const SHELL = ['sh', 'bash', 'shell', 'console', 'crontab'];
/** Within a sentence, only what stands there as a whole. */
const SPAN = /`(?<text>[^`]+)`/g;
const COMMAND = /^(order-sync|npm run (--silent )?order-sync --|docker compose|kubectl) /;
const STATEMENT = /^(SELECT |TRUNCATE |VACUUM ANALYZE$|ALTER ROLE \w+ SET )[^…]*$/;
const ROLE = /\bas (?:the (?<owner>owner)\b|`(?<role>\w+)`)/gi;
const SCHEDULE = /^(?:\S+ ){5}/;

export async function readPages(): Promise<ReadonlyMap<string, string>> {
  const names = (await readdir(inRepository('docs'))).filter((name) => name.endsWith('.md'));
  const paths = ['README.md', ...names.toSorted().map((name) => `docs/${name}`)];
  const texts = await Promise.all(paths.map((path) => readFile(inRepository(path), 'utf8')));
  return new Map(paths.map((path, at) => [path, texts[at] ?? '']));
}

/** In the order of the page; what is mentioned in sentences once, and not at all where a block has it. */
export function documentedIn(page: string, markdown: string): readonly Documented[] {
  const blocks = [...markdown.matchAll(BLOCK)].map(({ groups, index }) => ({
    index,
    found: inBlock(page, groups?.['language'] ?? '', groups?.['code'] ?? '', roleBefore(markdown, index)),
  }));
  const known = new Set(blocks.flatMap(({ found }) => found.map(({ text }) => text)));
  const prose = markdown.replaceAll(BLOCK, (block) => ' '.repeat(block.length));
  const spans = [...prose.matchAll(SPAN)].map(({ groups, index }) => ({
    index,
    found: inSpan(page, (groups?.['text'] ?? '').replaceAll(/\s+/g, ' '), known),
  }));
  return [...blocks, ...spans]
    .toSorted((one, other) => one.index - other.index)
    .flatMap(({ found }) => found);
}

/** @param known is what the page has had */
function inSpan(page: string, text: string, known: Set<string>): readonly Documented[] {
  const isStatement = STATEMENT.test(text) && !ANSWERED.includes(page);
  if (known.has(text) || !(isStatement || COMMAND.test(text))) return [];
  known.add(text);
  return [{ page, isSql: isStatement, isMentioned: true, text }];
}

/** The role that the paragraph before a block names. */
function roleBefore(markdown: string, index: number): string | undefined {
  const [paragraph = ''] = markdown.slice(0, index).trimEnd().split('\n\n').slice(-1);
  const [{ owner, role } = {}] = [...paragraph.replaceAll(/\s+/g, ' ').matchAll(ROLE)]
    .slice(-1)
    .map(({ groups = {} }) => groups);
  return owner ?? role;
}

function inBlock(
  page: string,
  language: string,
  code: string,
  role: string | undefined,
): readonly Documented[] {
  const isSql = language === 'sql';
  if (isSql && ANSWERED.includes(page)) return [];
  if (!isSql && !SHELL.includes(language)) return [];
  const texts = isSql ? [code.trim()] : linesOf(code).map((line) => withoutSchedule(line, language));
  return texts.map((text) => ({ page, isSql, isMentioned: false, role: isSql ? role : undefined, text }));
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

/**
 * Who is to run a statement: whom the text names, otherwise the readers what only asks the views, and the owner all else.
 *
 * @returns a role, or undefined for the owner of the warehouse
 */
export function roleOf({ role, text }: Pick<Documented, 'role' | 'text'>): string | undefined {
  if (role !== undefined) return role === 'owner' ? undefined : role;
  if (!/^(SELECT|WITH|--)/.test(text) || /\b(core|raw|ops)\./.test(text)) return undefined;
  return /\bbi_pii\./.test(text) ? 'bi_pii_reader' : 'bi_reader';
}
