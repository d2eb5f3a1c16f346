import { displayWidth } from './display-text.ts';

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
