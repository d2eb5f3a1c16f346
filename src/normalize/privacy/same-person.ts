/** Which identifiers belong to one person, by what is stored under them. */
import type { PersonRecord } from '../../warehouse/orders/forget-persons.ts';
import { emailIdentifier, findContacts, type Identifier, phoneIdentifiers } from './identifiers.ts';

const PHONE_LOGIN = /^\s*\+?\d(?:[\s().-]{0,3}\d){9,14}\s*$/;

/** Identifiers by {@link identifierKey}. */
export type Identifiers = ReadonlyMap<string, Identifier>;

export function identifierKey({ kind, value }: Identifier): string {
  return `${kind} ${value}`;
}

export function toIdentifiers(list: readonly Identifier[]): Identifiers {
  return new Map(list.map((identifier) => [identifierKey(identifier), identifier]));
}

/** E-mail addresses and phone numbers of a record, in every form. */
function contactsOf({ login, email, phone }: PersonRecord): readonly Identifier[] {
  return [
    ...(login === null ? [] : loginContacts(login)),
    ...(email === null ? [] : [...findContacts(email), ...[emailIdentifier(email) ?? []].flat()]),
    ...(phone === null ? [] : [...findContacts(phone), ...phoneIdentifiers(phone)]),
  ];
}

/** A login may be an address or a number. A short number may be anything. */
function loginContacts(login: string): readonly Identifier[] {
  const email = emailIdentifier(login);
  if (email !== undefined) return [email];
  return PHONE_LOGIN.test(login) ? phoneIdentifiers(login) : [];
}

function hasContactOf(record: PersonRecord, identifiers: Identifiers): boolean {
  return contactsOf(record).some((contact) => identifiers.has(identifierKey(contact)));
}

/**
 * The accounts of a person: those requested; those with a requested contact of their own, or in all of their orders; and those
 * whose own contacts are not known, with one in any order.
 *
 * @param records all that is stored of the accounts in question
 */
export function findAccounts(records: readonly PersonRecord[], requested: Identifiers): ReadonlySet<string> {
  const byAccount = Map.groupBy(records, ({ userOid }) => userOid);
  const accounts = [...byAccount].flatMap(([userOid, own]) => {
    if (userOid === null) return [];
    const isRequested = requested.has(identifierKey({ kind: 'user', value: userOid }));
    return isRequested || isOneOf(own, requested) ? [userOid] : [];
  });
  return new Set(accounts);
}

function isOneOf(account: readonly PersonRecord[], requested: Identifiers): boolean {
  const [users, orders] = [
    account.filter(({ orderId }) => orderId === null),
    account.filter(({ orderId }) => orderId !== null),
  ];
  const isKnown = users.some((user) => contactsOf(user).length > 0);
  const matching = orders.filter((order) => hasContactOf(order, requested));
  if (users.some((user) => hasContactOf(user, requested))) return true;
  return matching.length > 0 && (!isKnown || matching.length === orders.length);
}

/** Contacts in the records of a person's accounts, and in guest orders with a requested contact. */
export function findOwnContacts(
  records: readonly PersonRecord[],
  accounts: ReadonlySet<string>,
  requested: Identifiers,
): readonly Identifier[] {
  const own = records.filter((record) =>
    record.userOid === null ? hasContactOf(record, requested) : accounts.has(record.userOid),
  );
  return own.flatMap(contactsOf);
}

/** Of a person's contacts those that somebody else uses, too: another account, or a guest with another e-mail address. */
export function findSharedContacts(
  records: readonly PersonRecord[],
  accounts: ReadonlySet<string>,
  own: Identifiers,
): ReadonlySet<string> {
  const others = records.filter((record) => {
    if (record.userOid !== null) return !accounts.has(record.userOid);
    const emails = contactsOf({ ...record, phone: null });
    return emails.length > 0 && !emails.some((email) => own.has(identifierKey(email)));
  });
  return new Set(others.flatMap(contactsOf).map(identifierKey));
}
