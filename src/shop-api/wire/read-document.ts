/** The JSON document of a body, with or without text around it that PHP and its tools add. */
import { counted } from '../../model/amount-text.ts';
import { type JsonValue, parseShallowJson } from '../../model/json.ts';
import { repairJson } from './repair-json.ts';

export type ReadDocument = {
  readonly value: JsonValue;
  /** What stands beside the document, by its kind and length, never by its words; undefined where nothing does. */
  readonly beside: string | undefined;
};

/** Levels of PHP's messages. */
const PHP_LEVEL =
  '(?:Notice|Warning|Deprecated|Strict (?:Standards|warning)|Parse error|(?:(?:Recoverable|Catchable) )?fatal error)';
export const PHP_MESSAGE = new RegExp(`(?:^|[\\n>])\\s*(?:PHP )?${PHP_LEVEL}(?:</b>)?: `, 'i');

/** What may stand before a document, part by part. Any other element of HTML is that of a page. */
const PART = new RegExp(
  [
    // oxlint-disable-next-line no-control-regex -- NUL bytes, too
    /(?<blank>[\s\0-\x1f\x7f\u200b\u2060]+)/,
    /(?<comment><!--(?:[^]*?-->|[^]*))/,
    /(?<page>(?=<(?!!--|\/?(?:br|b|i|pre|font|hr)\b|table class=['"]?xdebug-error)))/,
    /(?<php>(?:\[[^\]\n]{1,40}\] )?(?:PHP +)?LEVEL(?:<\/b>)?: [^]{0,2000}? on line (?:<[bi]>)?\d+|Call Stack:(?:\n *\d.*)+|<table class=['"]?xdebug-error[^]*?<\/table>)/,
    /(?<tag><\/?(?:br|b|i|pre|font|hr)\b[^>]*>)/,
    /(?<text>[^{["<\n]+)/,
  ]
    .map(({ source }) => source.replace('LEVEL', PHP_LEVEL))
    .join('|'),
  'iy',
);
const KINDS: Readonly<Record<string, string>> = {
  php: 'messages of PHP',
  comment: 'a comment',
  text: 'text',
  tag: 'HTML',
  page: 'HTML',
  blank: 'NUL bytes, byte order marks or blanks',
};
/** Longer text is none that stands beside a document. */
const MOST = 2000;
/** So few characters are stray ones. After more of them only an object with a key is taken for the document. */
const FEW = 3;

/**
 * Reads the one document of a body: proper JSON, or what is meant by nearly JSON, with nothing before it but what PHP and
 * its tools add, and nothing after it that may be a part of it or another one.
 *
 * @throws SyntaxError where there is none, or it is truncated
 */
export function readDocument(text: string): ReadDocument {
  try {
    return { value: parseShallowJson(text), beside: undefined };
  } catch {
    // Read with more patience below.
  }
  const before = skipParts(text, 0);
  const isText = before.textLength > FEW;
  if (before.textLength > MOST || (isText && !/^\{\s*["']/.test(text.slice(before.end, before.end + 99)))) {
    throw new SyntaxError('no document');
  }
  const { json, end } = repairJson(text, before.end);
  const after = skipParts(text, end);
  const isWhole = /^[\s\]});]*(?![\s\]});,:{["'])/.test(text.slice(end));
  if (!isWhole || /^[{[]\s*["{[]/.test(text.slice(after.end)) || /<!doctype|<html/i.test(text.slice(end))) {
    throw new SyntaxError('more than a document');
  }
  const beside = [...describe(before, before.end, 'before'), ...describe(after, text.length - end, 'after')];
  return { value: parseShallowJson(json), beside: beside.join(', ') || undefined };
}

type Parts = { readonly end: number; readonly kinds: ReadonlySet<string>; readonly textLength: number };

function skipParts(text: string, start: number): Parts {
  const kinds = new Set<string>();
  let [end, textLength] = [start, 0];
  for (;;) {
    PART.lastIndex = end;
    const found = PART.exec(text);
    const [kind, part = ''] =
      Object.entries(found?.groups ?? {}).find(([, part]) => part !== undefined) ?? [];
    if (kind === undefined) return { end, kinds, textLength };
    kinds.add(kind);
    if (kind === 'text') textLength += part.trim().length;
    end += part.length;
    if (kind === 'page' || textLength > MOST) return { end, kinds, textLength };
  }
}

function describe({ kinds }: Parts, length: number, where: string): readonly string[] {
  if (length === 0) return [];
  const kind = Object.keys(KINDS).find((name) => kinds.has(name)) ?? 'text';
  return [`${counted(length, 'character')} ${where} it (${KINDS[kind] ?? kind})`];
}

/** Says what stands beside the data, and what to do about it. */
export function besideSentence(beside: string): string {
  return `the shop sends text beside its data, which is passed over: ${beside}; have whoever runs the shop switch off PHP's display_errors and what else prints there`;
}
