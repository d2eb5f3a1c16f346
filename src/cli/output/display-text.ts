/** How texts of anybody's look on a terminal. */

const WIDE =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6])/u;
const PLAIN = /^[\u0020-\u02FF\u0370-\u0482\u048A-\u052F\u2010-\u2015\u2018-\u2026\u20A0-\u20BF\u2116]*$/;
const segmenter = new Intl.Segmenter();

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
  for (const { segment } of segmenter.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

/** The text in exactly so many columns: filled up, or cut with an ellipsis. */
export function fitted(text: string, width: number, alignRight = false): string {
  const space = width - displayWidth(text);
  if (space >= 0) return alignRight ? ' '.repeat(space) + text : text + ' '.repeat(space);
  let kept = '';
  let taken = 0;
  for (const { segment } of segmenter.segment(text)) {
    const next = taken + displayWidth(segment);
    if (next > width - 1) break;
    [kept, taken] = [kept + segment, next];
  }
  return `${kept}…${' '.repeat(width - 1 - taken)}`;
}
