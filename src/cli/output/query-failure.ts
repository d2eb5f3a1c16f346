import stringWidth from 'string-width';

import { nearestName } from '../../config/nearest-name.ts';
import type { QueryError } from '../../warehouse/query/read-query.ts';
import { fullName, type View } from '../../warehouse/query/read-views.ts';
import { visible } from './layout.ts';

const UNDEFINED_TABLE = '42P01';

/**
 * The message of PostgreSQL, the line of the query that it points at, and its hint, or the view that may be meant.
 *
 * @param views of `bi` and `bi_pii`, whether the role may read them or not
 * @param columns of the terminal; undefined: no line is cut
 */
export function describeQueryFailure(
  { fault, message }: QueryError,
  query: string,
  views: readonly View[],
  columns: number | undefined,
): string {
  const hint =
    fault.hint ?? (fault.code === UNDEFINED_TABLE ? findView(query, fault.position, views) : undefined);
  return [
    `The query failed: ${visible(message)}`,
    ...(fault.detail === undefined ? [] : [visible(fault.detail)]),
    ...pointer(query, fault.position, columns),
    ...(hint === undefined ? [] : [`Hint: ${visible(hint)}`]),
    '',
  ].join('\n');
}

/** The view that is meant by the name that PostgreSQL points at. */
function findView(query: string, position = 1, views: readonly View[]): string | undefined {
  const at = Array.from(query)
    .slice(position - 1)
    .join('');
  const meant = meantView(views, /^(?:\w+\.)?"?([^\s"();,.]+)/.exec(at)?.[1]?.toLowerCase() ?? '');
  return meant && `Did you mean ${fullName(meant)}?${isPersonal(meant) ? ' --pii shows it.' : ''}`;
}

const isPersonal = ({ schema }: View) => schema === 'bi_pii';

export function meantView(views: readonly View[], name: string): View | undefined {
  const near = nearestName(
    name,
    views.map((view) => view.name),
  );
  return views.find((view) => view.name === near);
}

/** Of a line that is too wide for the terminal, what is left before the mark. */
const SHARE_BEFORE = 0.6;

/**
 * The line of the query, and a mark below the character; what does not fit on the terminal is cut off.
 *
 * @param position from 1, in code points
 * @param width of the terminal; undefined: nothing is cut
 */
export function pointer(query: string, position: number | undefined, width = Infinity): readonly string[] {
  if (position === undefined) return [];
  const before = Array.from(query)
    .slice(0, position - 1)
    .join('');
  const label = `LINE ${before.split('\n').length}: `;
  const space = Math.max(1, width - label.length);
  const shown = (part: string) => Array.from(visible(part.replaceAll(/[\t\r]/g, ' ')));
  const head = shown(before.slice(before.lastIndexOf('\n') + 1));
  const tail = shown((query.slice(before.length).split('\n')[0] ?? '').trimEnd());
  const isWide = head.length + tail.length > space;
  const kept = isWide ? head.slice(-Math.floor(space * SHARE_BEFORE)) : head;
  const mark = ' '.repeat(label.length + stringWidth(kept.join('')));
  return [label + [...kept, ...tail].slice(0, space).join(''), `${mark}^`];
}
