/** Tells the statements of the program from those that tests send themselves. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCE = join(import.meta.dirname, '../../../src');
/** What Drizzle builds is written nowhere. Only tests build queries of the views. */
const BUILT = /^(?:select|update|delete from|insert into) "(?!.* from "bi)/;
const BEGINNING = /([`'"])\s*(?:WITH|SELECT|INSERT|UPDATE|DELETE|COPY)\b/g;
/** Shorter ones would be found in statements of tests too. */
const MIN_LENGTH = 20;

/** What is written between the values and parts that are inserted, without white space and escapes. */
type Pieces = readonly string[];

const squeeze = (sql: string) => sql.replaceAll(/[\s\\]+/g, '');

/** @returns whether a text of SQL is one of the program's */
export function readProgram(): (sql: string) => boolean {
  const names = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => name.endsWith('.ts'));
  const all = files.flatMap((name) => findStatements(readFileSync(join(SOURCE, name), 'utf8')));
  return (sql) => {
    if (BUILT.test(sql)) return true;
    const squeezed = squeeze(sql);
    return all.some((pieces) => isMadeOf(squeezed, pieces));
  };
}

/** The statements that a text of TypeScript holds. */
export function findStatements(source: string): readonly Pieces[] {
  return [...source.matchAll(BEGINNING)].flatMap(({ index, 1: quote = '' }) => {
    const { pieces } = readLiteral(source, index + 1, quote);
    const squeezed = pieces.map(squeeze);
    return squeezed.join('').length < MIN_LENGTH ? [] : [squeezed];
  });
}

/** Reads a literal from behind its first quote. */
function readLiteral(source: string, start: number, quote: string): { pieces: string[]; end: number } {
  const pieces: string[] = [];
  let from = start;
  for (let at = start; at < source.length; at += 1) {
    if (source[at] === '\\') at += 1;
    else if (source[at] === quote) return { pieces: [...pieces, source.slice(from, at)], end: at };
    else if (quote === '`' && source.startsWith('${', at)) {
      pieces.push(source.slice(from, at));
      at = endOfInserted(source, at + 2);
      from = at + 1;
    }
  }
  return { pieces, end: source.length };
}

/** Where the brace is that ends what is inserted, whatever literals and braces are in it. */
function endOfInserted(source: string, start: number): number {
  let depth = 1;
  for (let at = start; at < source.length; at += 1) {
    const character = source[at] ?? '';
    if ('`\'"'.includes(character)) at = readLiteral(source, at + 1, character).end;
    else if (character === '{') depth += 1;
    else if (character === '}' && --depth === 0) return at;
  }
  return source.length;
}

/** Whether a text has these pieces, in their order, with anything between them. */
export function isMadeOf(text: string, pieces: Pieces): boolean {
  const [first = '', ...others] = pieces;
  if (!text.startsWith(first)) return false;
  const last = others.pop();
  if (last === undefined) return text === first;
  let at = first.length;
  for (const piece of others) {
    const found = text.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
