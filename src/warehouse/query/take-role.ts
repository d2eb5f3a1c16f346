import { type Client, DatabaseError } from 'pg';

import { TerminalError } from '../../model/errors.ts';
import { nextStep } from '../../model/next-step.ts';

/** The roles that a query of somebody's own may run as. */
export type Reader = 'bi_reader' | 'bi_pii_reader';

/** There is no such role, or this login may not act as it. */
const REFUSED = ['22023', '42501'];

/**
 * Acts as the role until the transaction ends.
 *
 * @throws TerminalError when the login may not
 */
export async function takeRole(client: Client, role: Reader): Promise<void> {
  try {
    await client.query(`SET LOCAL ROLE ${role}`);
  } catch (error) {
    if (!(error instanceof DatabaseError) || !REFUSED.includes(error.code ?? '')) throw error;
    const how =
      `as the owner of the tables run ${nextStep('apply migrations')}, which creates the role and grants it, or says what an ` +
      `administrator must run; for another login an administrator runs: GRANT ${role} TO ${client.escapeIdentifier(client.user ?? '')}`;
    throw new TerminalError(`${error.message}; ${how}`, { cause: error });
  }
}
