/** The JSON document of a body: proper or nearly proper JSON, with or without text around it that PHP and its tools add. */
import { counted } from '../../model/amount-text.ts';
import { type JsonValue, parseJson } from '../../model/json.ts';

export type ReadDocument = {
  readonly value: JsonValue;
  /** What stands beside the document, by its kind and length, never by its words; undefined where nothing does. */
  readonly beside: string | undefined;
};

/** Messages of PHP begin with their level. */
const PHP_LEVEL =
  '(?:\\[[^\\]\\n]{1,40}\\] )?(?:PHP +)?(?:Notice|Warning|Deprecated|Strict (?:Standards|warning)|Parse error|(?:(?:Recoverable|Catchable) )?fatal error)(?:</b>)?: ';
export const PHP_MESSAGE = new RegExp(`(?:^|[\\n>])\\s*${PHP_LEVEL}`, 'i');

/** What PHP and its tools write; other text stands beside a document only in front of an object with a key. */
const OF_PHP = new RegExp(
  [
    /<table class=['"]?xdebug-error[^]*?<\/table>/.source,
    `${PHP_LEVEL}[^]{0,2000}? on line (?:<[bi]>)?\\d+`,
    /<!--[^]*?(?:-->|$)|<script\b[^]*?<\/script>|<[^>]*>/.source,
    '[\\s\\0-\\x1f\\x7f\\u200b\\u2060]+',
  ].join('|'),
  'gi',
);
/** So few characters are stray ones; so many are none that stand beside a document. */
const STRAY = { few: 3, most: 2000, all: 20_000 };
/** An element of a page, which PHP does not write into its messages. */
const PAGE =
  /<(?!!--|\/?(?:br|b|i|pre|font|hr)\b|table class=['"]?xdebug-error|\/?t[rdh]\b|\/table)[a-z/!?]/i;
/** An object with a key, or none; a list of objects, or none. */
const BEGINNING = /\{[\s\0]*["}]|\[[\s\0]*[{\]]/;

/**
 * Reads the one document of a body: proper JSON, or nearly so, with nothing before it but what PHP and its tools add, and
 * nothing after it that may be a part of it or another one.
 *
 * @throws SyntaxError where there is none, or it is truncated
 */
export function readDocument(text: string): ReadDocument {
  try {
    return { value: parseJson(text), beside: undefined };
  } catch {
    // Read with more patience below.
  }
  const start = text.search(BEGINNING);
  if (start === -1 || start > STRAY.all) throw new SyntaxError('no document');
  const before = text.slice(0, start);
  const stray = before.replaceAll(OF_PHP, '');
  const isText = stray.length > STRAY.few && !/^\{\s*"/.test(text.slice(start, start + 99));
  if (isText || stray.length >= STRAY.most || stray.includes('"') || PAGE.test(before))
    throw new SyntaxError('no document');
  const { json, end } = repairDocument(text, start);
  const after = text.slice(end);
  const isEnd = /^[\s\]});]*(?![\s\]});,:{["'])/.test(after);
  if (!isEnd || BEGINNING.test(after.replaceAll(OF_PHP, ' ')) || /<!doctype|<html/i.test(after))
    throw new SyntaxError('more than a document');
  const beside = [...describe(before, 'before'), ...describe(after, 'after')].join(', ');
  return { value: parseJson(json), beside: beside || undefined };
}

/** What is not JSON although it is often written for it, and what shows where a document ends. */
const TOKEN =
  /"[^"\\]*(?:\\[^][^"\\]*)*"|[{}[\]]|,(?=[\s\0]*[}\]])|[+-]?\b(?:nan|inf(?:inity)?)\b|[\0-\x1f]/gi; // oxlint-disable-line no-control-regex -- to be repaired
const CONTROL = /[\0-\x1f]/g; // oxlint-disable-line no-control-regex -- to be escaped

/** The object or array at a position, without control characters, commas before its brackets, and what is no number. */
function repairDocument(text: string, start: number): { readonly json: string; readonly end: number } {
  const parts: string[] = [];
  let [depth, from] = [0, start];
  TOKEN.lastIndex = start;
  for (let found = TOKEN.exec(text); found !== null; found = TOKEN.exec(text)) {
    const [token] = found;
    const end = TOKEN.lastIndex;
    parts.push(text.slice(from, found.index), repairToken(token));
    from = end;
    if (token === '{' || token === '[') depth++;
    else if ((token === '}' || token === ']') && --depth === 0) return { json: parts.join(''), end };
  }
  throw new SyntaxError('the document is truncated');
}

function repairToken(token: string): string {
  if (token === ',') return '';
  if (/^[+-]?[ni]/i.test(token)) return JSON.stringify(token);
  if (!token.startsWith('"')) return token < ' ' ? ' ' : token;
  return token.replaceAll(CONTROL, (found) => JSON.stringify(found).slice(1, -1));
}

function describe(part: string, where: string): readonly string[] {
  if (part === '') return [];
  const kinds: readonly (readonly [RegExp, string])[] = [
    [PHP_MESSAGE, 'messages of PHP'],
    [/xdebug-error/, 'messages of PHP'],
    [/<!--/, 'a comment'],
    [/</, 'HTML'],
    [/[^\s\0-\x1f\x7f\u200b\u2060]/, 'text'], // oxlint-disable-line no-control-regex -- NUL bytes, too
  ];
  const [, kind] = kinds.find(([pattern]) => pattern.test(part)) ?? [];
  return [
    `${counted(part.length, 'character')} ${where} it (${kind ?? 'NUL bytes, byte order marks or blanks'})`,
  ];
}

/** Says what stands beside the data, and what to do about it. */
export function besideSentence(beside: string): string {
  return `the shop sends text beside its data, which is ignored: ${beside}; ask whoever runs the shop to switch off PHP's display_errors and anything else that prints there`;
}
