/** How texts of anybody's look on a terminal. */
const WIDE =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6])/u;
const PLAIN = /^[\u0020-\u02FF\u0370-\u0482\u048A-\u052F\u2010-\u2015\u2018-\u2026\u20A0-\u20BF\u2116]*$/;
/** Made where a text needs it: loading its tables takes an eighth of a short command's time. */
let segmenter: Intl.Segmenter | undefined;
const charactersOf = (text: string) => (segmenter ??= new Intl.Segmenter()).segment(text);

/** Without what would move the cursor or change colours: such characters are written as escapes. */
export function visible(text: string): string {
  return text.replaceAll(/[\p{Cc}\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, (character) =>
    JSON.stringify(character).length > 3
      ? JSON.stringify(character).slice(1, -1)
      : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Columns that a text takes on a terminal. */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of charactersOf(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

/** The text in exactly so many columns: filled up, or cut with an ellipsis. */
export function fitted(text: string, width: number, alignRight = false): string {
  const space = width - displayWidth(text);
  if (space >= 0) return alignRight ? ' '.repeat(space) + text : text + ' '.repeat(space);
  let kept = '';
  let taken = 0;
  for (const { segment } of charactersOf(text)) {
    const next = taken + displayWidth(segment);
    if (next > width - 1) break;
    [kept, taken] = [kept + segment, next];
  }
  return `${kept}…${' '.repeat(width - 1 - taken)}`;
}

/** Breaks text into lines of a width, at least one. Numbers stay whole where the width allows it. */
export function wrap(text: string, width: number): readonly string[] {
  if (displayWidth(text) <= width) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((part) => splitWord(part, width))) {
    if (line !== '' && displayWidth(line) + 1 + displayWidth(word) > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** A word that is longer than a line, in pieces. */
function splitWord(word: string, width: number): readonly string[] {
  const taken = displayWidth(word);
  if (taken <= width) return [word];
  // Wide characters take two columns.
  const most = taken > word.length ? Math.max(1, Math.floor(width / 2)) : width;
  const head = word.slice(0, most);
  // Not within a number: `127.0.0.1`, `1,234.50`.
  const tail = /[\d.,]*\d$/.exec(head)?.[0] ?? '';
  const isInNumber = tail.length > 0 && tail.length < most && /^[\d.,]/.test(word.slice(most));
  const end = isInNumber ? most - tail.length : most;
  return [word.slice(0, end), ...splitWord(word.slice(end), width)];
}

/** Breaks each line of a text between words, under the indentation of its own. @param width undefined: nothing is wrapped */
export function wrapLines(text: string, width: number | undefined): string {
  if (width === undefined) return text;
  const lines = text.split('\n').flatMap((line) => {
    const indent = /^ */.exec(line)?.[0] ?? '';
    const hanging = indent === '' ? '' : `${indent}  `;
    return wrap(line.slice(indent.length), Math.max(1, width - hanging.length)).map(
      (part, index) => `${index === 0 ? indent : hanging}${part}`,
    );
  });
  return lines.join('\n');
}

/** Where there is no terminal: sentences are for people all the same. */
const NOTE_COLUMNS = 120;

/** A paragraph, wrapped. */
export function wrapNote(text: string, columns = NOTE_COLUMNS): string {
  return wrap(text, columns).join('\n');
}
