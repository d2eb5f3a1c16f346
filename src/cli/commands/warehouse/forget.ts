import { UsageError } from '../../../model/errors.ts';
import { GUEST_OID } from '../../../model/persons.ts';
import { parseId } from '../../../normalize/id.ts';
import {
  emailIdentifier,
  type Identifier,
  phoneIdentifiers,
} from '../../../normalize/privacy/identifiers.ts';
import { forgetPerson, type Forgotten, previewForget } from '../../../sync/forget/forget-person.ts';
import { openWarehouse, readConfig } from '../../open.ts';
import type { Given } from '../../options.ts';
import { type CliContext, printResult } from '../../output/io.ts';
import { counted, grouped } from '../../../model/amount-text.ts';
import { table } from '../../output/table.ts';
import { findStoredShops, storedRun } from '../../stored-shops.ts';

type ForgetOptions = Given<'shop' | 'email' | 'phone' | 'userId', 'dryRun'>;

/** `forget`: erases a person from each stored shop. Uses the database only. */
export async function forgetCommand(context: CliContext, options: ForgetOptions) {
  const person = readPerson(options);
  const config = readConfig(context);
  await using warehouse = await openWarehouse(context, config);
  const { db } = warehouse;
  const shops = await findStoredShops(db, options.shop);
  // A number of one shop's account is another person's in another shop.
  if (options.userId !== undefined && shops.length > 1) {
    throw new UsageError('--user-id needs --shop KEY: each shop has numbers of its own');
  }
  if (shops.length === 0)
    printResult(context, [], 'The warehouse has no shop yet: there is nothing to erase.\n');
  const isDryRun = options.dryRun === true;
  for (const shop of shops) {
    const run = storedRun(context, config, db, shop);
    const forgotten = await (isDryRun ? previewForget : forgetPerson)(run, shop.shopId, person);
    const { accounts, identifiers, shared, orders, mentions } = forgotten;
    const figures = { accounts, identifiers, shared_contacts: shared, orders, mentions };
    const document = { shop: shop.shopKey, status: 'ok', error: null, dry_run: isDryRun, ...figures };
    const text = forgottenText(shop.shopKey, forgotten, isDryRun, context.io.outColumns());
    printResult(context, [document], text);
  }
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
  const [is, stays] = shared === 1 ? ['is', 'stays'] : ['are', 'stay'];
  const others =
    shared > 0
      ? `${counted(shared, 'contact')} of the person's records ${is} used by others, too, and ` +
        `${stays} there: give them by --email or --phone if they are the same person.\n`
      : '';
  const rows = [
    ['records', 'number'],
    ['orders of the person', grouped(orders)],
    ['records of others that mention the person', grouped(mentions)],
  ];
  return `Shop ${shop}: ${result}${isDryRun ? '; nothing was written' : ''}.\n${others}${table(rows, columns)}`;
}
