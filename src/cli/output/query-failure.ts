import { nextStep } from '../../model/next-step.ts';
import type { QueryError } from '../../warehouse/query/read-query.ts';
import { visible } from './layout.ts';

const UNDEFINED_TABLE = '42P01';
const DENIED = '42501';
const SHOWN_CHARACTERS = 60;

/** The message of PostgreSQL, what stands where it points at, and a hint. */
export function describeQueryFailure({ fault, message }: QueryError, query: string): string {
  const { code, detail, position } = fault;
  const hint = fault.hint ?? ownHint(code, message);
  return [
    `The query failed: ${visible(message)}`,
    ...(detail === undefined ? [] : [visible(detail)]),
    ...(position === undefined ? [] : [placeText(query, position)]),
    ...(hint === undefined ? [] : [`Hint: ${visible(hint)}`]),
    '',
  ].join('\n');
}

function ownHint(code: string | undefined, message: string): string | undefined {
  if (code === UNDEFINED_TABLE)
    return `\`${nextStep('list views')}\` lists what there is to ask, --pii also what holds personal data`;
  return code === DENIED && /\bbi_pii$/.test(message)
    ? '--pii also reads what holds personal data'
    : undefined;
}

/** @param position from 1, in code points */
function placeText(query: string, position: number): string {
  const characters = Array.from(query);
  const line = characters.slice(0, position - 1).filter((character) => character === '\n').length + 1;
  const rest = characters.slice(position - 1, position - 1 + SHOWN_CHARACTERS).join('');
  return `LINE ${line}, from here: ${visible(rest.split('\n')[0]?.trimEnd() ?? '')}`;
}
