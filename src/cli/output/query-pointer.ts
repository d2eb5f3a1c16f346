import { displayWidth, visible } from './rows/display-text.ts';

/** Of a line that is cut, what is left before the mark. */
const SHARE_BEFORE = 0.6;
const MIN_TEXT_WIDTH = 20;

/**
 * The line of the query, and a mark below the character; cut around it where the terminal is narrower.
 *
 * @param position from 1, in code points
 * @param width of the terminal; undefined: nothing is cut
 */
export function pointer(query: string, position: number | undefined, width?: number): readonly string[] {
  if (position === undefined) return [];
  const before = Array.from(query)
    .slice(0, position - 1)
    .join('');
  const line = before.split('\n').length;
  const label = `LINE ${line}: `;
  const text = query.split('\n')[line - 1] ?? '';
  const column = before.length - (before.lastIndexOf('\n') + 1);
  const shown = (part: string) => visible(part.replaceAll(/[\t\r]/g, ' '));
  const space = Math.max(MIN_TEXT_WIDTH, (width ?? Number.POSITIVE_INFINITY) - label.length);
  const cut = cutAround(shown(text.slice(0, column)), shown(text.slice(column)).trimEnd(), space);
  return [label + cut.head + cut.tail, `${' '.repeat(label.length + displayWidth(cut.head))}^`];
}

function cutAround(head: string, tail: string, space: number) {
  if (displayWidth(head) + displayWidth(tail) < space) return { head, tail };
  const forHead = Math.max(Math.floor(space * SHARE_BEFORE), space - displayWidth(tail) - 1);
  const reversed = Array.from(head).toReversed();
  const keptHead =
    displayWidth(head) <= forHead
      ? head
      : `…${fitting(reversed, forHead - 1)
          .toReversed()
          .join('')}`;
  const forTail = space - 1 - displayWidth(keptHead);
  const keptTail =
    displayWidth(tail) <= forTail ? tail : `${fitting(Array.from(tail), forTail - 1).join('')}…`;
  return { head: keptHead, tail: keptTail };
}

/** As many characters as fit. */
function fitting(characters: readonly string[], width: number): readonly string[] {
  let taken = 0;
  const end = characters.findIndex((character) => (taken += displayWidth(character)) > width);
  return end === -1 ? characters : characters.slice(0, end);
}
