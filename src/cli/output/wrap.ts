/** Breaks text into lines of a width. Numbers stay whole where the width allows it. */

/** @returns at least one line */
export function wrap(text: string, width: number): readonly string[] {
  if (text.length <= width) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((part) => splitWord(part, width))) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** A word that is longer than a line, in pieces. */
function splitWord(word: string, width: number): readonly string[] {
  if (word.length <= width) return [word];
  const head = word.slice(0, width);
  // Not within a number: `127.0.0.1`, `1,234.50`.
  const tail = /[\d.,]*\d$/.exec(head)?.[0] ?? '';
  const isInNumber = tail.length > 0 && tail.length < width && /^[\d.,]/.test(word.slice(width));
  const end = isInNumber ? width - tail.length : width;
  return [word.slice(0, end), ...splitWord(word.slice(end), width)];
}
