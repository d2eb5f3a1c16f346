import { UsageError } from '../../../model/errors.ts';
import { GUEST_OID } from '../../../model/persons.ts';
import { parseId } from '../../../normalize/numbers.ts';
import {
  emailIdentifier,
  type Identifier,
  phoneIdentifiers,
} from '../../../normalize/privacy/identifiers.ts';
import { forgetPerson, type Forgotten, previewForget } from '../../../sync/forget/forget-person.ts';
import { counted } from '../../../model/amount-text.ts';
import type { CommandOptions } from '../../options.ts';
import type { CliContext } from '../../output/io.ts';
import { type Block, factsOf, print } from '../../output/layout.ts';
import { forEachStored } from '../../shops.ts';

type ForgetOptions = CommandOptions<'shop' | 'email' | 'phone' | 'userId', 'dryRun'>;

/** `forget`: erases a person from each stored shop. Uses the database only. */
export async function forgetCommand(context: CliContext, options: ForgetOptions) {
  const person = readPerson(options);
  const { userId, dryRun: dry_run = false } = options;
  return forEachStored(context, options.shop, async (shop, { shops, runOf }) => {
    // A number of one shop's account is another person's in another shop.
    if (userId !== undefined && shops.length > 1) {
      throw new UsageError('--user-id needs --shop KEY: each shop has numbers of its own');
    }
    const forgotten = await (dry_run ? previewForget : forgetPerson)(runOf(shop), shop.shopId, person);
    const { accounts, identifiers, shared, orders, mentions } = forgotten;
    const figures = { accounts, identifiers, shared_contacts: shared, orders, mentions };
    const document = { shop: shop.shopKey, status: 'ok', error: null, dry_run, ...figures };
    print(context, forgottenText(shop.shopKey, forgotten, dry_run), [document]);
  });
}

/** @throws UsageError; it repeats no value, since messages end up in logs */
function readPerson({ email, phone, userId }: ForgetOptions): readonly Identifier[] {
  const given = [email, phone, userId].filter((value) => value !== undefined);
  if (given.length !== 1) throw new UsageError('give exactly one of --email, --phone and --user-id');
  if (email !== undefined) {
    const identifier = emailIdentifier(email);
    if (identifier === undefined) throw new UsageError('--email is not an e-mail address');
    return [identifier];
  }
  if (phone !== undefined) {
    const identifiers = phoneIdentifiers(phone);
    if (identifiers.length === 0)
      throw new UsageError('--phone is not a phone number: it has fewer than 7 digits');
    return identifiers;
  }
  const { value } = parseId(userId ?? '');
  if (value === null || value.startsWith('-') || value === '0')
    throw new UsageError('--user-id is not the number of a user');
  if (value === GUEST_OID)
    throw new UsageError(`--user-id ${GUEST_OID} is the account that all guests share`);
  return [{ kind: 'user', value }];
}

function forgottenText(shop: string, forgotten: Forgotten, isDryRun: boolean): readonly Block[] {
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
      ? [
          `${counted(shared, 'contact')} of the person's records ${is} used by others, too, and ` +
            `${stays} there: give them by --email or --phone if they are the same person.`,
        ]
      : [];
  const records = { orders_of_the_person: orders, records_of_others_that_mention_the_person: mentions };
  return [`Shop ${shop}: ${result}${isDryRun ? '; nothing was written' : ''}.`, ...others, factsOf(records)];
}
