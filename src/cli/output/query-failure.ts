import stringWidth from 'string-width';

import { nearestName } from '../../config/nearest-name.ts';
import type { QueryError } from '../../warehouse/query/read-query.ts';
import { droppedText, fullName, type View } from '../../warehouse/query/read-views.ts';
import { readStatementText } from '../../warehouse/query/statement-text.ts';
import { visible } from './display-text.ts';
import { nextStep } from '../../model/next-step.ts';

/** What the query might have read. */
type Readable = {
  /** Of `bi` and `bi_pii`, whether the role may read them or not. */
  readonly views: readonly View[];
  readonly role: string;
  /** The value of `--timeout`. */
  readonly timeout: string;
};

const ONLY_READS =
  'This command only reads, with SELECT, VALUES, TABLE, SHOW or EXPLAIN, and changes nothing.';
const LIST_VIEWS = `${nextStep('list views')} lists the views, and ${nextStep('show view')} the columns of one.`;

/** Statements that change data or the database, and what makes a query one of them. */
const WRITE_WORDS =
  'INSERT|UPDATE|DELETE|MERGE|REPLACE|COPY|DO|CALL|CREATE|ALTER|DROP|TRUNCATE|GRANT|REVOKE|COMMENT|REASSIGN|' +
  'SECURITY|IMPORT|REFRESH|REINDEX|CLUSTER|VACUUM|ANALYZE|ANALYSE|LOCK|CHECKPOINT';
const WRITE = new RegExp(
  String.raw`^[\s;]*(${WRITE_WORDS})\b|\b(INSERT|MERGE)\s+INTO\b|\bDELETE\s+FROM\b|\bFOR\s+(NO\s+KEY\s+|KEY\s+)?(UPDATE|SHARE)\b`,
  'i',
);
const SELECT_INTO = /^\s*(SELECT|WITH)\b.*\bINTO\b/is;

/**
 * The message of PostgreSQL, the line of the query that it points at, and what to do.
 *
 * @param readable what the query might have read; `columns` of the terminal, undefined: no line is cut
 */
export function describeQueryFailure(
  error: QueryError,
  query: string,
  readable: Readable & { readonly columns: number | undefined },
): string {
  const { fault } = error;
  const { bare, count } = readStatementText(query);
  if (isWrite(error, bare)) return `The query was refused: ${ONLY_READS}\n`;
  // Of all syntax errors, only this one has no place.
  if (fault.code === '42601' && fault.position === undefined && count > 1) {
    return `The query failed: these are ${count} statements; run one at a time.\n`;
  }
  const hint = findHint(error, query, readable) ?? fault.hint;
  return [
    `The query failed: ${visible(error.message)}`,
    ...(fault.detail === undefined ? [] : [visible(fault.detail)]),
    ...pointer(query, fault.position, readable.columns),
    ...(hint === undefined ? [] : [`Hint: ${visible(hint)}`]),
    '',
  ].join('\n');
}

/** A view that cannot be written says how it could be: by a trigger, which is no advice to a reader. */
function isWrite({ fault: { code, hint } }: QueryError, bare: string): boolean {
  if (WRITE.test(bare) || (code === undefined && SELECT_INTO.test(bare))) return true;
  return code === '55000' && hint?.includes('INSTEAD OF') === true;
}

/** What PostgreSQL cannot know: the views that there are, and the options of this command. */
function findHint({ fault, message }: QueryError, query: string, readable: Readable): string | undefined {
  const { code, hint, position = 0 } = fault;
  const characters = Array.from(query);
  const at = characters.slice(position - 1).join('');
  const isSource = /\b(FROM|JOIN)\s+$/i.test(characters.slice(0, position - 1).join(''));
  switch (code) {
    // A name that is a word of SQL is a syntax error; so is what psql's users type.
    case '42601':
      if (isSource && !/^\w+\s+BY\b/i.test(at)) return findView(at, readable);
      return /^\s*[\\?\w]*\s*$/.test(query) ? LIST_VIEWS : undefined;
    case '42P01':
      return hint === undefined ? (findView(at, readable) ?? LIST_VIEWS) : undefined;
    case '42703':
      return hint === undefined ? LIST_VIEWS : undefined;
    case '42501':
      return (
        findGrant(message, readable) ??
        `This command reads as ${readable.role}: the views of bi${ofPersons(readable.role)}.`
      );
    case '57014':
      return `It took longer than ${readable.timeout}. A filter on order_date makes most queries faster; --timeout 10m allows more.`;
    case '25006':
      return ONLY_READS;
    default:
      return undefined;
  }
}

const ofPersons = (role: string) =>
  role === 'bi_pii_reader' ? ' and bi_pii' : ' alone; --pii adds those of bi_pii, with personal data';

/** The role may not even use the schemas of tables, so what it may not read by this name is a view of its own. */
function findGrant(message: string, { views, role }: Readable): string | undefined {
  const asked = /(\S+)$/.exec(message)?.[1];
  const view = views.find(({ schema, name }) => readableBy(role).includes(schema) && name === asked);
  return (
    view &&
    `${role} lacks a grant on ${fullName(view)}: run ${nextStep('apply migrations')} as the owner of the tables.`
  );
}

const readableBy = (role: string) => (role === 'bi_pii_reader' ? ['bi', 'bi_pii'] : ['bi']);

/** The view that was meant. @param at the query from where PostgreSQL points */
function findView(at: string, { views, role }: Readable): string | undefined {
  const asked = /^(?:\w+\.)?"?([^\s"();,.]+)/.exec(at)?.[1]?.toLowerCase() ?? '';
  const schemas = readableBy(role);
  const dropped = droppedText(views, schemas, asked);
  if (dropped !== undefined) return `${dropped}.`;
  const personal = views.find(({ schema, name }) => schema === 'bi_pii' && name === asked);
  if (personal !== undefined && !schemas.includes('bi_pii')) return `${personalText(personal)}.`;
  const meant = meantView(views, schemas, asked);
  return meant === undefined ? undefined : `Did you mean ${fullName(meant)}?`;
}

export const personalText = (view: View) => `${fullName(view)} holds personal data: --pii shows it`;

/** @param schemas that may be read */
export function meantView(views: readonly View[], schemas: readonly string[], name: string) {
  const readable = views.filter(({ schema }) => schemas.includes(schema));
  const near = nearestName(
    name,
    readable.map((view) => view.name),
  );
  return readable.find((view) => view.name === near);
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
