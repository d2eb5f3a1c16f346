import { isAlias, isScalar, LineCounter, parseDocument, visit } from 'yaml';

/** Valid YAML, but more likely an unquoted secret, which would be cut short. */
const REFERENCE = 'a value begins with & or *, which YAML reserves; put the value in quotes';

const INVALID =
  'this is not valid YAML, here or above; check quotes, colons and indentation, and put values in quotes';

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
  const problems = [...document.errors, ...document.warnings].map(({ pos }) => problemAt(pos[0], INVALID));
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
