import { type JsonValue, parseJson } from '../json.ts';

/** No meaningful data is nested deeper; parsers and databases give up at a few thousand levels. */
const MAX_DEPTH = 200;
const TOO_DEEP = '"nested too deep to be kept"';

/** A longer text is pruned before it is parsed: a parser needs memory for each level. */
const MAX_PLAIN_LENGTH = 1024 * 1024;

/**
 * Parses JSON text, each value that is nested deeper than 200 levels replaced by a sentence.
 *
 * @throws SyntaxError when the text is not JSON
 */
export function parseShallowJson(text: string): JsonValue {
  if (text.length <= MAX_PLAIN_LENGTH) {
    try {
      return parseJson(text, MAX_DEPTH);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }
  return parseJson(shallowJson(text));
}

/** The JSON text with each value that is nested deeper than 200 levels replaced by a sentence. */
function shallowJson(text: string): string {
  const parts: string[] = [];
  let [depth, from, isInString] = [0, 0, false];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isInString) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) isInString = false;
    } else if (code === QUOTE) isInString = true;
    else if (code === BRACKET || code === BRACE) {
      if (++depth === MAX_DEPTH + 1) parts.push(text.slice(from, at), TOO_DEEP);
    } else if ((code === BRACKET_END || code === BRACE_END) && depth-- === MAX_DEPTH + 1) from = at + 1;
  }
  // Truncated within what is too deep: leave it for the parser to find.
  if (depth > MAX_DEPTH) return text.slice(0, from);
  return parts.length === 0 ? text : parts.join('') + text.slice(from);
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [BRACKET, BRACKET_END, BRACE, BRACE_END] = [0x5b, 0x5d, 0x7b, 0x7d];
