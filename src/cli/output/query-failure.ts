import { nearestName } from '../../config/nearest-name.ts';
import type { QueryError } from '../../warehouse/query/query-error.ts';
import { visible } from './rows/display-text.ts';

/** What the query might have read. */
export type Readable = {
  /** Names of views, with their schema. */
  readonly views: readonly string[];
  readonly role: string;
  /** The value of `--timeout`. */
  readonly timeout: string;
};

/** The message of PostgreSQL, the line of the query that it points at, and what to do. */
export function describeQueryFailure(error: QueryError, query: string, readable: Readable): string {
  const hint = error.hint ?? ownHint(error, readable);
  return [
    `The query failed: ${visible(error.message)}`,
    ...(error.detail === undefined ? [] : [visible(error.detail)]),
    ...pointer(query, error.position),
    ...(hint === undefined ? [] : [`Hint: ${visible(hint)}`]),
    '',
  ].join('\n');
}

/** The line of the query, and a mark below the character. @param position from 1, in code points */
function pointer(query: string, position: number | undefined): readonly string[] {
  if (position === undefined) return [];
  const before = Array.from(query)
    .slice(0, position - 1)
    .join('');
  const line = before.split('\n').length;
  const label = `LINE ${line}: `;
  const text = query.split('\n')[line - 1] ?? '';
  const column = before.length - (before.lastIndexOf('\n') + 1);
  const indent = visible(text.slice(0, column).replaceAll('\t', ' ')).length;
  return [label + visible(text.replaceAll('\t', ' ')), `${' '.repeat(label.length + indent)}^`];
}

function ownHint({ code, message }: QueryError, { views, role, timeout }: Readable): string | undefined {
  if (code === '42P01') return viewHint(message, views);
  if (code === '42501') return `This command reads as ${role}: the views of bi${ofPersons(role)}.`;
  if (code === '57014')
    return `It took longer than ${timeout}. A filter on order_date makes most queries faster; --timeout 10m allows more.`;
  if (code === '25006') return 'This command only reads.';
  return message.includes('multiple commands') ? 'Run one statement at a time.' : undefined;
}

const ofPersons = (role: string) =>
  role === 'bi_pii_reader' ? ' and bi_pii' : ' alone; --pii adds those of bi_pii, with personal data';

function viewHint(message: string, views: readonly string[]): string {
  const asked = /["«„](?:\w+\.)?([^"»“]+)["»“]/.exec(message)?.[1] ?? '';
  const plain = views.map((view) => view.replace(/^\w+\./, ''));
  const near = nearestName(asked, plain) ?? plain.find((name) => name.includes(asked) && asked !== '');
  const meant = views[near === undefined ? -1 : plain.indexOf(near)];
  return meant === undefined ? `There are ${views.join(', ')}.` : `Did you mean ${meant}?`;
}
