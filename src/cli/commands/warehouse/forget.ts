import type { Config } from '../../../config/load-config.ts';
import { UsageError } from '../../../errors.ts';
import { GUEST_OID } from '../../../special-accounts.ts';
import { parseId } from '../../../normalize/id.ts';
import {
  emailIdentifier,
  type Identifier,
  phoneIdentifiers,
} from '../../../normalize/privacy/identifiers.ts';
import { forgetPerson, type Forgotten, previewForget } from '../../../sync/forget/forget-person.ts';
import { VERSION } from '../../../version.ts';
import type { Db } from '../../../warehouse/db/database.ts';
import type { StoredShop } from '../../../warehouse/directory/registered-shops.ts';
import { createLogger, openWarehouse, readConfig } from '../../open.ts';
import { type CliContext, EXIT, type ExitCode, printResult } from '../../output/io.ts';
import { counted, grouped } from '../../../amount-text.ts';
import { table } from '../../output/table.ts';
import { findStoredShops, readPrivacySettings } from '../../stored-shops.ts';

export type ForgetOptions = {
  readonly shop?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly userId?: string;
  readonly dryRun?: boolean;
};

/** `forget`: erases a person from each stored shop. Uses the database only. */
export async function forgetCommand(context: CliContext, options: ForgetOptions): Promise<ExitCode> {
  const person = readPerson(options);
  const config = readConfig(context);
  await using warehouse = await openWarehouse(context, config);
  const shops = await findStoredShops(warehouse.db, options.shop);
  // A number of one shop's account is another person's in another shop.
  if (options.userId !== undefined && shops.length > 1) {
    throw new UsageError('--user-id needs --shop KEY: each shop has numbers of its own');
  }
  if (shops.length === 0 && !context.flags.json) {
    context.io.out('The warehouse has no shop yet: there is nothing to erase.\n');
  }
  for (const shop of shops) {
    const forgotten = await forgetIn(context, { ...options, ...config }, warehouse.db, shop, person);
    const isDryRun = options.dryRun === true;
    const text = forgottenText(shop.shopKey, forgotten, isDryRun, context.io.outColumns());
    printResult(context, [toJson(shop.shopKey, forgotten, isDryRun)], text);
  }
  return EXIT.done;
}

async function forgetIn(
  context: CliContext,
  options: ForgetOptions & Pick<Config, 'logLevel'>,
  db: Db,
  { shopId, shopKey, timezone }: StoredShop,
  person: readonly Identifier[],
): Promise<Forgotten> {
  const { signal } = context;
  const shop = { shopKey, timezone, ...readPrivacySettings(context, shopKey) };
  if (options.dryRun === true) return previewForget({ db, shop }, shopId, person);
  const logger = createLogger(context, options);
  const run = { db, shop, logger, now: () => Temporal.Now.instant(), signal, version: VERSION };
  return forgetPerson(run, shopId, person);
}

/** @throws UsageError; it repeats no value, since messages end up in logs */
function readPerson({ email, phone, userId }: ForgetOptions): readonly Identifier[] {
  const given = [email, phone, userId].filter((value) => value !== undefined);
  if (given.length !== 1) throw new UsageError('forget needs exactly one of --email, --phone and --user-id');
  if (email !== undefined) {
    const identifier = emailIdentifier(email);
    if (identifier === undefined) throw new UsageError('--email is no e-mail address');
    return [identifier];
  }
  if (phone !== undefined) {
    const identifiers = phoneIdentifiers(phone);
    if (identifiers.length === 0)
      throw new UsageError('--phone is no phone number: it has fewer than 7 digits');
    return identifiers;
  }
  const { value } = parseId(userId ?? '');
  if (value === null || value.startsWith('-') || value === '0')
    throw new UsageError('--user-id is no number of a user');
  if (value === GUEST_OID)
    throw new UsageError(`--user-id ${GUEST_OID} is the account that all guests share`);
  return [{ kind: 'user', value }];
}

function toJson(shop: string, forgotten: Forgotten, isDryRun: boolean) {
  const { accounts, identifiers, shared, orders, mentions } = forgotten;
  const figures = { accounts, identifiers, shared_contacts: shared, orders, mentions };
  return { shop, status: 'ok', error: null, dry_run: isDryRun, ...figures };
}

function forgottenText(
  shop: string,
  forgotten: Forgotten,
  isDryRun: boolean,
  columns: number | undefined,
): string {
  const { accounts, identifiers, shared, orders, mentions } = forgotten;
  const isFound = accounts + orders + mentions > 0;
  const ids = counted(identifiers, 'identifier');
  const found = `${counted(accounts, 'account')} and ${ids} ${isDryRun ? 'would be erased' : 'erased'}`;
  const remembered = `${isDryRun ? 'would be remembered' : 'remembered'} as ${identifiers === 1 ? 'a keyed hash' : 'keyed hashes'}`;
  const result = isFound
    ? `${found}, and ${remembered}`
    : `nobody was found; ${ids} ${remembered}, so that the person is erased if the shop sends anything`;
  return [
    `Shop ${shop}: ${result}${isDryRun ? '; nothing was written' : ''}.`,
    ...(shared > 0
      ? [
          `${counted(shared, 'contact')} of the person's records ${shared === 1 ? 'is' : 'are'} used by others, too, and ` +
            `${shared === 1 ? 'stays' : 'stay'} there: give them by --email or --phone if they are the same person.`,
        ]
      : []),
    table(
      [
        ['records', 'number'],
        ['orders of the person', grouped(orders)],
        ['records of others that mention the person', grouped(mentions)],
      ],
      columns,
    ),
  ].join('\n');
}
