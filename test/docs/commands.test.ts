/** Every command that README and docs name must exist, with the options that they give it; `run-commands` runs them. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { beforeAll, expect, test } from 'vitest';

import { type ListedCommand, listCommands } from '../support/command-list.ts';
import { readPages } from './documented-commands.ts';

const ROOT = join(import.meta.dirname, '../..');
/** What stands before a command's name: by itself, in a checkout, and in the container. */
const CALL =
  /(?:(?<![.])\border-sync|\bnpm run (?:--silent )?order-sync --|\brun --rm worker) ((?:[a-z][a-z-]*)(?: [^\n`|#;&)]*)?)/g;
/** The table of commands names them by themselves. */
const ROW = /^\| `([a-z][^`]*)` /gm;
const COMMANDS_PAGE = 'docs/commands.md';

let commands: readonly ListedCommand[];
beforeAll(async () => {
  commands = await listCommands();
});

type Call = { readonly page: string; readonly command: string; readonly options: readonly string[] };

/** The name that a command line begins with: two words of it, if there is such a command, else the first. */
function nameIn(line: string): string {
  const words = line.split(' ');
  const two = words.slice(0, 2).join(' ');
  return commands.some(({ name }) => name === two) ? two : (words[0] ?? '');
}

/** Within code only: prose says "order-sync keeps". */
function callsIn(page: string, text: string): readonly Call[] {
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(([, code = '']) => code);
  const spans = [...text.replaceAll(/^```.*?^```/gms, '').matchAll(/`([^`\n]+)`/g)].map(
    ([, code = '']) => code,
  );
  const listed = [...text.matchAll(ROW)].map(([, code = '']) => `order-sync ${code}`);
  const ofTable = page === COMMANDS_PAGE ? listed : [];
  return [...blocks, ...spans, ...ofTable].flatMap((code) =>
    [...code.matchAll(CALL)].flatMap(([, rest = '']) => {
      const command = nameIn(rest);
      const options = rest.replaceAll(/"[^"]*"/g, '').match(/(?<=\s|\[)--[a-z-]+/g) ?? [];
      return [{ page, command, options }];
    }),
  );
}

test('the commands and options of README and docs exist', async () => {
  const calls: Call[] = [];
  for (const [page, text] of await readPages()) calls.push(...callsIn(page, text));
  expect(calls.length).toBeGreaterThan(50);
  const wrong: string[] = [];
  for (const { page, command, options } of calls) {
    const help = commands.find(({ name }) => name === command)?.help;
    const missing = options.filter((option) => !new RegExp(`${option}(?![\\w-])`).test(help ?? ''));
    if (help === undefined || missing.length > 0) wrong.push(`${page}: ${command} ${missing.join(' ')}`);
  }
  expect(wrong).toEqual([]);
});

test('docs/commands.md has a row for every command, and for nothing else', async () => {
  const text = await readFile(join(ROOT, COMMANDS_PAGE), 'utf8');
  const rows = [...text.matchAll(ROW)].map(([, code = '']) => nameIn(code));
  expect(rows.toSorted()).toEqual(commands.map(({ name }) => name).toSorted());
});

test('the scripts and benchmarks of README and docs exist', async () => {
  const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  const benchmarks = await readdir(join(ROOT, 'bench'));
  const unknown: string[] = [];
  for (const [page, text] of await readPages()) {
    for (const [call, script = '', benchmark] of text.matchAll(
      /npm run (?:--silent )?([a-z:-]+)(?: -- ([a-z-]+))?/g,
    )) {
      const isBenchmark = script === 'bench' && benchmark !== undefined;
      const isKnown = isBenchmark ? benchmarks.includes(`${benchmark}.ts`) : script in scripts;
      if (!isKnown) unknown.push(`${page}: ${call}`);
    }
  }
  expect(unknown).toEqual([]);
});

test('links between the pages lead somewhere', async () => {
  const broken: string[] = [];
  const anchors = new Map<string, ReadonlySet<string>>();
  const pages = await readPages();
  for (const [page, text] of pages) {
    const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-'),
    );
    anchors.set(page, new Set(headings));
  }
  for (const [page, text] of pages) {
    for (const [, link = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(link)) continue;
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : join(page, '..', path);
      const known = anchors.get(target);
      const isThere = await readFile(join(ROOT, target)).then(
        () => true,
        (error: NodeJS.ErrnoException) => error.code === 'EISDIR',
      );
      const isWrong = !isThere || (anchor !== undefined && known !== undefined && !known.has(anchor));
      if (isWrong) broken.push(`${page}: ${link}`);
    }
  }
  expect(broken).toEqual([]);
});
