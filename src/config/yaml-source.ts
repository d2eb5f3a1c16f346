import { type ErrorCode, isAlias, isScalar, LineCounter, parseDocument, visit } from 'yaml';

/** Valid YAML, but more likely an unquoted secret, which would be cut short. */
const REFERENCE = 'a value begins with & or *, which YAML reserves; put the value in quotes';

const PROBLEMS: Partial<Record<ErrorCode, string>> = {
  BAD_DQ_ESCAPE: 'a backslash in "…" does not start a known escape; write \\\\ or use \'…\'',
  BAD_INDENT: 'the indentation does not match the lines above, or a bracket is not closed',
  BAD_SCALAR_START: 'a value begins with a character that YAML reserves; put the value in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a value contains ": "; put the value in quotes',
  DUPLICATE_KEY: 'a setting is given twice; keep one of them',
  MISSING_CHAR: 'a quote, bracket, colon or comma is missing here or above',
  MULTIPLE_DOCS: 'a second document begins here; put everything in one',
  MULTILINE_IMPLICIT_KEY: 'a colon must be followed by a space, here or on the line above',
  TAB_AS_INDENT: 'a tab is used for indentation; YAML allows only spaces',
  TAG_RESOLVE_FAILED: 'a tag such as !name is not understood; write the value itself',
};

/**
 * Parses one YAML document (or JSON, which is YAML): objects, arrays and strings, every scalar as it is written. Problems
 * have our own wording, since the library's messages quote the text, which may be a secret.
 */
export function parseYaml(
  text: string,
): { readonly value: unknown } | { readonly problems: readonly string[] } {
  const lines = new LineCounter();
  // With `failsafe`, scalars stay strings: a login of 0123 keeps its zero.
  const document = parseDocument(text, {
    schema: 'failsafe',
    stringKeys: true,
    lineCounter: lines,
    prettyErrors: false,
  });
  const problemAt = (offset: number, problem: string) => `line ${lines.linePos(offset).line}: ${problem}`;
  const problems = [...document.errors, ...document.warnings].map(({ code, pos }) =>
    problemAt(pos[0], PROBLEMS[code] ?? 'this is not valid YAML; check quotes, colons and indentation'),
  );
  visit(document, {
    Node(role, node) {
      if (isAlias(node) || node.anchor !== undefined) {
        problems.push(problemAt(node.range?.[0] ?? 0, REFERENCE));
      } else if (isScalar(node) && role !== 'key') {
        const isNull = node.type === 'PLAIN' && /^(~|null)$/i.test(String(node.value));
        node.value = isNull ? '' : String(node.value).trim();
      }
    },
  });
  // Only without problems: references to references could make the value explode.
  return problems.length > 0 ? { problems } : { value: document.toJS() };
}
