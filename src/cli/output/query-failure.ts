import stringWidth from 'string-width';

import { nearestName } from '../../config/nearest-name.ts';
import type { QueryError } from '../../warehouse/query/read-query.ts';
import { fullName, type View } from '../../warehouse/query/read-views.ts';
import { visible } from './display-text.ts';

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
  const mark = ' '.repeat(label.length + stringWidth(keptHead.join('')));
  return [label + [...keptHead, ...keptTail].join(''), `${mark}^`];
}
