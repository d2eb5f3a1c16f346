import { type ErrorCode, isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';

/** A YAML document as settings need it: every scalar as the text that was written, and in which line (from 1). */
export type YamlTree =
  | { readonly kind: 'text'; readonly line: number; readonly text: string }
  | { readonly kind: 'list'; readonly line: number; readonly items: readonly YamlTree[] }
  | { readonly kind: 'map'; readonly line: number; readonly entries: ReadonlyMap<string, YamlEntry> };

export type YamlMap = Extract<YamlTree, { kind: 'map' }>;
export type YamlEntry = { readonly line: number; readonly value: YamlTree };
export type YamlProblem = { readonly line: number; readonly problem: string };

/** A file of settings is shallow; whatever lies deeper is a mistake, and is not looked into. */
const MOST_DEPTH = 8;

/** Valid YAML, but in a secret without quotes more likely an accident, which would cut it short. */
const REFERENCE = 'a value begins with & or *, which YAML reserves; put the value into quotes';

const PROBLEMS: Partial<Record<ErrorCode, string>> = {
  BAD_DQ_ESCAPE: 'a backslash in "…" begins no known escape; write \\\\ or use \'…\'',
  BAD_INDENT: 'the indentation does not fit the lines above, or a bracket is not closed',
  BAD_SCALAR_START: 'a value begins with a character that YAML reserves; put the value into quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a value holds ": "; put the value into quotes',
  DUPLICATE_KEY: 'a setting is there twice; keep one of them',
  MISSING_CHAR: 'a quote, bracket, colon or comma is missing here or above',
  MULTIPLE_DOCS: 'a second document begins; put all into one',
  MULTILINE_IMPLICIT_KEY: 'a colon must be followed by a blank, here or in the line above',
  TAB_AS_INDENT: 'a tab is used to indent; YAML takes blanks only',
  TAG_RESOLVE_FAILED: 'a tag such as !name is not understood; write the value itself',
};

/**
 * Reads one YAML document (or JSON, which is YAML). Problems are told in our own words, since the library's quote the
 * text, which may be a secret.
 */
export function parseYaml(text: string): { readonly tree: YamlTree } | { readonly problems: YamlProblem[] } {
  const lines = new LineCounter();
  // With `failsafe`, a scalar stays text: a login of 0123 keeps its zero.
  const document = parseDocument(text, {
    schema: 'failsafe',
    stringKeys: true,
    lineCounter: lines,
    prettyErrors: false,
  });
  const lineOf = (offset: number | undefined) => lines.linePos(offset ?? 0).line;
  const problems = [...document.errors, ...document.warnings].map(({ code, pos }) => ({
    line: lineOf(pos[0]),
    problem: PROBLEMS[code] ?? 'this is not valid YAML; check quotes, colons and indentation',
  }));
  const tree = toTree(document.contents, 1);
  return problems.length > 0 ? { problems } : { tree };

  function toTree(node: unknown, above: number, depth = 0): YamlTree {
    if (isAlias(node) || (isNode(node) && node.anchor !== undefined)) {
      problems.push({ line: lineOf(node.range?.[0]), problem: REFERENCE });
    }
    if (isScalar(node)) {
      const line = lineOf(node.range?.[0]);
      const isNull = node.type === 'PLAIN' && /^(~|null)$/i.test(String(node.value));
      return { kind: 'text', line, text: isNull ? '' : String(node.value).trim() };
    }
    if (depth < MOST_DEPTH && isSeq(node)) {
      const line = lineOf(node.range?.[0]);
      return { kind: 'list', line, items: node.items.map((item) => toTree(item, line, depth + 1)) };
    }
    if (depth < MOST_DEPTH && isMap(node)) {
      const entries = node.items.map(({ key, value }): [string, YamlEntry] => {
        const line = isScalar(key) ? lineOf(key.range?.[0]) : above;
        return [isScalar(key) ? String(key.value) : '', { line, value: toTree(value, line, depth + 1) }];
      });
      return { kind: 'map', line: lineOf(node.range?.[0]), entries: new Map(entries) };
    }
    return { kind: 'text', line: above, text: '' };
  }
}
