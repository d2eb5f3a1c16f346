/** What an erasure takes out of what is stored: the person's own records, and mentions in those of others. */
import type { Identifier } from '../../normalize/privacy/identifiers.ts';
import type { Privacy } from '../../normalize/privacy/privacy.ts';
import {
  findAccounts,
  findOwnContacts,
  findSharedContacts,
  identifierKey,
  toIdentifiers,
} from '../../normalize/privacy/same-person.ts';
import type { Db } from '../../warehouse/db/database.ts';
import {
  readUserPersons,
  type RemovedAccount,
  type UserPersonToKeep,
} from '../../warehouse/directory/users.ts';
import {
  findMentions,
  findPersonRecords,
  type ForgottenOrder,
  type PersonSearch,
  readPersonalOrders,
} from '../../warehouse/orders/forget-persons.ts';
import type { OrderPersonToKeep } from '../../warehouse/orders/persons.ts';
import { forgotten } from '../run/privacy-policy.ts';

export type Erasure = {
  /** The person's orders, without the person. */
  readonly own: readonly ForgottenOrder[];
  readonly accounts: readonly RemovedAccount[];
  /** Persons of others: without this one's contacts. */
  readonly mentions: {
    readonly orders: readonly OrderPersonToKeep[];
    readonly users: readonly UserPersonToKeep[];
  };
};

/** @param privacy that of the shop once the person is erased */
export async function planErasure(
  db: Db,
  shopId: number,
  privacy: Privacy,
  { accounts, identifiers }: FoundPerson,
): Promise<Erasure> {
  const search = toSearch(identifiers);
  const { erased } = privacy;
  const records = await findPersonRecords(db, shopId, search);
  const ownIds = records.flatMap(({ orderId, userOid, email, phone }) => {
    const isOwn = (userOid !== null && accounts.has(userOid)) || erased.areInAny([email, phone]);
    return orderId !== null && isOwn ? [orderId] : [];
  });
  const own = (await readPersonalOrders(db, shopId, { ids: ownIds })).map((order) => {
    const isOfAccount = order.buyerOid !== null && accounts.has(order.buyerOid);
    return forgotten(privacy, order, isOfAccount ? erased.standIn(order.buyerOid) : undefined);
  });
  const mentions = await findMentions(db, shopId, search);
  const isOwn = new Set(ownIds);
  const others = { ids: mentions.orderIds.filter((orderId) => !isOwn.has(orderId)) };
  const users = { ids: mentions.userOids.filter((userOid) => !accounts.has(userOid)) };
  return {
    own,
    accounts: [...accounts].map((userOid) => ({ userOid, standIn: erased.standIn(userOid) })),
    mentions: {
      orders: (await readPersonalOrders(db, shopId, others)).flatMap(({ orderId, person }) => {
        const hidden = person && privacy.withoutMentions(person);
        return hidden ? [{ orderId, person: hidden }] : [];
      }),
      users: (await readUserPersons(db, shopId, users)).flatMap(({ userOid, person }) => {
        const hidden = privacy.withoutMentions(person);
        return hidden === undefined ? [] : [{ userOid, person: hidden }];
      }),
    },
  };
}

/** Phone numbers are searched for by their last digits, which all forms of a number share. */
const PHONE_END = 7;

export type FoundPerson = {
  readonly identifiers: readonly Identifier[];
  /** Numbers of accounts. */
  readonly accounts: ReadonlySet<string>;
  /** How many of these accounts are stored, or have orders: a requested number may be nobody's. */
  readonly stored: number;
  /** Contacts in the person's records that somebody else uses, too, and that were not requested. */
  readonly shared: number;
};

/**
 * All that identifies a person: what was requested; the accounts with it; contacts in the records of these accounts, and in
 * guest orders with what was requested. Contacts that somebody else uses as well are left out, and it goes no further: the
 * search does not spread from one contact to another.
 */
export async function findPerson(
  db: Db,
  shopId: number,
  requested: readonly Identifier[],
): Promise<FoundPerson> {
  const explicit = toIdentifiers(requested);
  const search = (identifiers: readonly Identifier[]) => findPersonRecords(db, shopId, toSearch(identifiers));
  const first = await search(requested);
  const suspects = [...new Set(first.flatMap(({ userOid }) => userOid ?? []))].map(toUser);
  const known = await search([...requested, ...suspects]);
  const accounts = new Set([...findAccounts(known, explicit), ...valuesOf('user', requested)]);
  const users = [...accounts].map(toUser);
  const contacts = toIdentifiers([...requested, ...findOwnContacts(known, accounts, explicit)]);
  const others = await search([...contacts.values()]);
  const taken = findSharedContacts(others, accounts, contacts);
  const isShared = (contact: Identifier) =>
    taken.has(identifierKey(contact)) && !explicit.has(identifierKey(contact));
  const own = [...contacts.values()].filter((contact) => !isShared(contact));
  return {
    identifiers: [...toIdentifiers([...own, ...users]).values()],
    accounts,
    stored: accounts.intersection(new Set(known.map(({ userOid }) => userOid))).size,
    shared: contacts.size - own.length,
  };
}

const toUser = (value: string): Identifier => ({ kind: 'user', value });

function valuesOf(kind: Identifier['kind'], identifiers: readonly Identifier[]): readonly string[] {
  return identifiers.flatMap((one) => (one.kind === kind ? [one.value] : []));
}

function toSearch(identifiers: readonly Identifier[]): PersonSearch {
  const ends = valuesOf('phone', identifiers).map((digits) => digits.slice(-PHONE_END));
  return {
    userOids: valuesOf('user', identifiers),
    emails: valuesOf('email', identifiers),
    phoneEnds: [...new Set(ends)],
  };
}
