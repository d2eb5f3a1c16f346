import type { Identifier } from '../../normalize/privacy/identifiers.ts';
import {
  findAccounts,
  findOwnContacts,
  findSharedContacts,
  identifierKey,
  toIdentifiers,
} from '../../normalize/privacy/same-person.ts';
import type { Db } from '../../warehouse/db/database.ts';
import { findPersonRecords, type PersonSearch } from '../../warehouse/orders/find-person.ts';

/** Phone numbers are searched for by their last digits, which all forms of a number share. */
const PHONE_END = 7;

export type FoundPerson = {
  readonly identifiers: readonly Identifier[];
  /** Numbers of accounts. */
  readonly accounts: ReadonlySet<string>;
  /** Contacts in the person's records that somebody else uses, too, and that were not given. */
  readonly shared: number;
};

/**
 * All that identifies a person: what is given; the accounts with it; contacts in the records of these accounts, and in
 * guest orders with what is given. Contacts that somebody else uses as well are left out, and it goes no further: the
 * search does not spread from one contact to another.
 */
export async function findPerson(db: Db, shopId: number, given: readonly Identifier[]): Promise<FoundPerson> {
  const explicit = toIdentifiers(given);
  const search = (identifiers: readonly Identifier[]) => findPersonRecords(db, shopId, toSearch(identifiers));
  const first = await search(given);
  const suspects = [...new Set(first.flatMap(({ userOid }) => userOid ?? []))].map(toUser);
  const known = await search([...given, ...suspects]);
  const accounts = new Set([...findAccounts(known, explicit), ...valuesOf('user', given)]);
  const users = [...accounts].map(toUser);
  const contacts = toIdentifiers([...given, ...findOwnContacts(known, accounts, explicit)]);
  const others = await search([...contacts.values()]);
  const taken = findSharedContacts(others, accounts, contacts);
  const isShared = (contact: Identifier) =>
    taken.has(identifierKey(contact)) && !explicit.has(identifierKey(contact));
  const own = [...contacts.values()].filter((contact) => !isShared(contact));
  return {
    identifiers: [...toIdentifiers([...own, ...users]).values()],
    accounts,
    shared: contacts.size - own.length,
  };
}

const toUser = (value: string): Identifier => ({ kind: 'user', value });

function valuesOf(kind: Identifier['kind'], identifiers: readonly Identifier[]): readonly string[] {
  return identifiers.flatMap((one) => (one.kind === kind ? [one.value] : []));
}

/** How to look for identifiers in what is stored. */
export function toSearch(identifiers: readonly Identifier[]): PersonSearch {
  const ends = valuesOf('phone', identifiers).map((digits) => digits.slice(-PHONE_END));
  return {
    userOids: valuesOf('user', identifiers),
    emails: valuesOf('email', identifiers),
    phoneEnds: [...new Set(ends)],
  };
}
