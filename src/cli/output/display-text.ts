/** How texts of anybody's look on a terminal. */
import wrapAnsi from 'wrap-ansi';

/** Without what would move the cursor or change colours: such characters are written as escapes. */
export function visible(text: string): string {
  return text.replaceAll(/[\p{Cc}\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, (character) =>
    JSON.stringify(character).length > 3
      ? JSON.stringify(character).slice(1, -1)
      : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Breaks text into lines of a width, at least one: between words, or within one that is longer than a line. */
export function wrap(text: string, width: number): readonly string[] {
  return Number.isFinite(width) ? wrapAnsi(text, width, { hard: true }).split('\n') : [text];
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
