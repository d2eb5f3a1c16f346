import { randomBytes } from 'node:crypto';

import { zone } from '../../../config/setting-types.ts';
import { UsageError } from '../../../model/errors.ts';
import { listShops } from '../../../warehouse/directory/registered-shops.ts';
import { findLogin, makeLogin } from '../../../warehouse/query/bi-login.ts';
import { openWarehouse, readConfig, readFile, untilInterrupted } from '../../open.ts';
import { type CommandOptions, readOption } from '../../options.ts';
import { type CliContext, note } from '../../output/io.ts';
import { print } from '../../output/layout.ts';
import { commonZone } from '../../shops.ts';

/** `db`: keeps the embedded database running until interrupted. */
export async function dbCommand(context: CliContext) {
  const config = readConfig(context);
  if (config.databaseUrl !== undefined) {
    throw new UsageError(
      'DATABASE_URL is set, so the embedded database is not used; unset it to run the embedded one',
    );
  }
  await using warehouse = await openWarehouse(context, config);
  print(context, [warehouse.url]);
  note(context, 'The embedded PostgreSQL in .order-sync/, for psql or a BI tool, until you press Ctrl-C.\n');
  await untilInterrupted(context.signal);
}

/** `db login`: a login that reads the views, for a BI tool or a person, and how to connect as it. */
export async function dbLoginCommand(
  context: CliContext,
  name: string,
  { pii, passwordFile, timezone }: CommandOptions<'passwordFile' | 'timezone', 'pii'>,
) {
  const chosen = readOption(zone, timezone, '--timezone');
  const given = passwordFile === undefined ? undefined : readPassword(passwordFile);
  const config = readConfig(context);
  await using warehouse = await openWarehouse(context, config);
  const exists = await findLogin(warehouse, name);
  const generated = given === undefined && !exists ? randomBytes(18).toString('base64url') : undefined;
  const shops = await listShops(warehouse.db);
  const login = {
    name,
    schemas: pii === true ? (['bi', 'bi_pii'] as const) : (['bi'] as const),
    password: given ?? generated,
    timezone: chosen ?? (exists || shops.length === 0 ? undefined : commonZone(shops)),
  };
  await makeLogin(warehouse, login, exists);
  const secret = given === undefined ? 'unchanged' : `the one in ${passwordFile}`;
  print(context, [
    `The login ${name} reads the views of ${login.schemas.join(' and ')}, and nothing else.`,
    { facts: connection(warehouse.url, name, generated ?? secret) },
    ...(generated === undefined ? [] : ['The password is shown this once.']),
    ...(config.databaseUrl === undefined
      ? ['The embedded database is available while a worker or the command db is running.']
      : []),
  ]);
}

/** What a BI tool asks for. */
function connection(url: string, name: string, password: string) {
  const { hostname, host, port, pathname, searchParams } = new URL(url);
  const own = new URL(`postgres://${encodeURIComponent(name)}@${host}${pathname}`);
  const sslmode = searchParams.get('sslmode');
  if (sslmode !== null) own.searchParams.set('sslmode', sslmode);
  return [
    ['host', hostname],
    ['port', port || '5432'],
    ['database', decodeURIComponent(pathname.slice(1))],
    ['user', name],
    ['password', password],
    ['psql', `psql '${own.href}'`],
  ] as const;
}

function readPassword(path: string): string {
  try {
    const password = readFile(path).trim();
    if (password !== '') return password;
  } catch (cause) {
    throw new UsageError(`--password-file ${path} cannot be read`, { cause });
  }
  throw new UsageError(`--password-file ${path} is empty`);
}
