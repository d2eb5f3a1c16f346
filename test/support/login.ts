/** Users of the server for a test. They belong to the whole server: disposing drops them. */
import { randomBytes } from 'node:crypto';

import { openDatabase } from '../../src/warehouse/db/database.ts';

export type Login = AsyncDisposable & {
  readonly name: string;
  /** The database of the administrator, as this user. */
  readonly url: string;
};

/**
 * Creates a user who may log in and nothing else.
 *
 * @param adminUrl of a database, as a user who may create roles
 * @param role of which the user becomes a member
 */
export async function createLogin(adminUrl: string, role?: string): Promise<Login> {
  const [name, password] = [
    `order_sync_test_${randomBytes(6).toString('hex')}`,
    randomBytes(12).toString('hex'),
  ];
  const asAdmin = async (text: string) => {
    await using database = await openDatabase(adminUrl, 1);
    await database.query(text);
  };
  await asAdmin(
    `CREATE ROLE ${name} LOGIN PASSWORD '${password}'${role === undefined ? '' : ` IN ROLE ${role}`}`,
  );
  const url = new URL(adminUrl);
  [url.username, url.password] = [name, password];
  return {
    name,
    url: url.href,
    [Symbol.asyncDispose]: async () => {
      await asAdmin(`DROP OWNED BY ${name}`);
      await asAdmin(`DROP ROLE ${name}`);
    },
  };
}
