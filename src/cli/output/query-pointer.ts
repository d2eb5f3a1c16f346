import { displayWidth, visible } from './display-text.ts';

/** Of a line that is cut, what is left before the mark. */
const SHARE_BEFORE = 0.6;
const MIN_TEXT_WIDTH = 20;

/**
 * The line of the query, and a mark below the character; cut around it where the terminal is narrower.
 *
 * @param position from 1, in code points
 * @param width of the terminal; undefined: nothing is cut
 */
export function pointer(query: string, position: number | undefined, width = Infinity): readonly string[] {
  if (position === undefined) return [];
  const characters = Array.from(query);
  const before = characters.slice(0, position - 1).join('');
  const line = before.split('\n').length;
  const label = `LINE ${line}: `;
  const shown = (part: string) => Array.from(visible(part.replaceAll(/[\t\r]/g, ' ')));
  const head = shown(before.slice(before.lastIndexOf('\n') + 1));
  const tail = shown((query.slice(before.length).split('\n')[0] ?? '').trimEnd());
  const space = Math.max(MIN_TEXT_WIDTH, width - label.length) - 1;
  const forHead = Math.max(Math.floor(space * SHARE_BEFORE), space - tail.length);
  const keptHead = head.length > forHead ? ['…', ...head.slice(1 - forHead)] : head;
  const forTail = space - keptHead.length;
  const keptTail = tail.length > forTail ? [...tail.slice(0, forTail - 1), '…'] : tail;
  const mark = ' '.repeat(label.length + displayWidth(keptHead.join('')));
  return [label + [...keptHead, ...keptTail].join(''), `${mark}^`];
}
