/** Pages that hold fewer rows than asked for, or one of them twice. */
import type { Dialect } from './dialect.ts';
import type { Random } from '../shop/random.ts';

const SHORT_PAGES = 0.25;
const PAGES_WITH_A_REPEAT = 0.25;

/**
 * What the dialect leaves of a page. A page that is not empty keeps one row at least.
 *
 * @param bytes most bytes of the page's rows where the dialect ends pages by size
 */
export function cutPage<Row>(
  rows: readonly Row[],
  settings: { readonly pages: Dialect['pages']; readonly bytes: number; readonly text: (row: Row) => string },
  random: Random,
): readonly Row[] {
  const { pages, bytes, text } = settings;
  if (pages === 'bytes') return withinBytes(rows, bytes, text);
  if (pages === 'random' && random.chance(SHORT_PAGES)) return rows.slice(0, random.between(1, rows.length));
  if (pages === 'repeats' && rows.length > 1 && random.chance(PAGES_WITH_A_REPEAT)) {
    return withRepeat(rows, random.below(rows.length - 1));
  }
  return rows;
}

function withinBytes<Row>(rows: readonly Row[], bytes: number, text: (row: Row) => string): readonly Row[] {
  let left = bytes;
  const end = rows.findIndex((row, index) => {
    left -= Buffer.byteLength(text(row));
    return left < 0 && index > 0;
  });
  return end === -1 ? rows : rows.slice(0, end);
}

/** The row comes a second time right after the first, which pushes the last row out of the page. */
function withRepeat<Row>(rows: readonly Row[], index: number): readonly Row[] {
  return [...rows.slice(0, index + 1), ...rows.slice(index, -1)];
}
