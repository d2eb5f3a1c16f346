import { DrizzleQueryError } from 'drizzle-orm/errors';

import { type DatabaseFault, findFault, findSentence } from './database-sentences.ts';

/** What the server says of the connection: the sentence alone says more. */
const OF_CONNECTION = /^(08|25006|28|3D|53300|57P)/;
/** What a value is not, and what functions raise: these messages quote values. */
const OF_VALUES = /^(22|P0)/;
const RAISED = 'exec_stmt_raise';

/**
 * A sentence for an error of pg or Drizzle: what was being done, the server's own message, and what to do about it. Never its
 * detail or context, nor the message of Drizzle, which quote rows and parameters.
 */
export function databaseSentence(error: unknown): string {
  const fault = findFault(error, isKnown);
  const known = fault && findSentence(fault);
  if (fault === undefined || !isSqlState(fault.code)) return known ?? 'the connection failed';
  const { code = '', severity } = fault;
  if (known !== undefined && (severity === 'FATAL' || OF_CONNECTION.test(code))) return known;
  if (severity === 'FATAL') return `it ended the connection (SQLSTATE ${code}); see its log`;
  const place = [fault.table, fault.constraint].filter((part) => part !== undefined).join(', ');
  const refused = `it refused a value${place === '' ? '' : ` for ${place}`}`;
  const quotesValues = OF_VALUES.test(code) || fault.routine === RAISED;
  const said = quotesValues ? refused : fault.message.split('\n')[0];
  const step = findStep(error);
  const next = known === undefined ? ` (SQLSTATE ${code})` : `; ${known}`;
  return `${step === undefined ? '' : `${step}: `}${said}${next}`;
}

/** Says what was being done when the database failed, where that is not one statement of Drizzle. */
class StepError extends Error {
  override readonly name = 'StepError';
}

/** Does something to the database, and says so if that fails. @param step as in "granting to order_sync_worker" */
export async function during<Result>(step: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw isDatabaseError(error) ? new StepError(step, { cause: error }) : error;
  }
}

const WRITTEN = /\b(?:insert into|update|delete from)\s+("?\w+"?\."?\w+"?)/i;
const READ = /\bfrom\s+("?\w+"?\."?\w+"?)/i;

/** The outermost step; of a statement of Drizzle, the first table that it writes or else reads. */
function findStep(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof StepError) return cause.message;
    if (!(cause instanceof DrizzleQueryError)) continue;
    const written = WRITTEN.exec(cause.query)?.[1];
    const table = written ?? READ.exec(cause.query)?.[1];
    return table && `${written === undefined ? 'reading' : 'writing'} ${table.replaceAll('"', '')}`;
  }
  return undefined;
}

export function isDatabaseError(error: unknown): boolean {
  return findFault(error, isKnown) !== undefined;
}

function isKnown(fault: DatabaseFault): boolean {
  return findSentence(fault) !== undefined || isSqlState(fault.code);
}

const isSqlState = (code: string | undefined) => /^[0-9A-Z]{5}$/.test(code ?? '');
