/** Fails if two folders of `src` import each other: then neither can be understood, or changed, without the other. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';

/** An entry point, which nothing imports. */
const ENTRY = 'src/main.ts';
const SPECIFIER = /\b(?:from|import)\s*\(?\s*'(?<path>\.[^']+)'/g;

/** For each pair of neighbours, an import from the one to the other. */
const imports = new Map<string, string>();
for (const file of globSync('src/**/*.ts')) {
  if (file === ENTRY) continue;
  for (const { groups } of readFileSync(file, 'utf8').matchAll(SPECIFIER)) {
    const target = normalize(join(dirname(file), groups?.['path'] ?? ''));
    const above = commonFolder(dirname(file), dirname(target));
    const [from, to] = [childOf(above, file), childOf(above, target)];
    if (from !== to) imports.set(`${above}: ${from} to ${to}`, `${file} imports ${target}`);
  }
}
const found = new Set<string>();
for (const [edge, example] of imports) {
  const [, above, from, to] = /^(.*): (.*) to (.*)$/.exec(edge) ?? [];
  const back = imports.get(`${above}: ${to} to ${from}`);
  const pair = `${above}: ${[from, to].toSorted().join(' and ')}`;
  if (back === undefined || found.has(pair)) continue;
  found.add(pair);
  fail(`two folders import each other, ${pair}:\n  ${example}\n  ${back}`);
}

/** The innermost folder that holds both. */
function commonFolder(one: string, other: string): string {
  return `${other}/`.startsWith(`${one}/`) ? one : commonFolder(dirname(one), other);
}

/** The folder below `above` in which a file lies; `.` for the files directly in it. */
function childOf(above: string, file: string): string {
  const [child = '.', ...rest] = relative(above, file).split('/');
  return rest.length === 0 ? '.' : child;
}

function fail(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
  process.exitCode = 1;
}
