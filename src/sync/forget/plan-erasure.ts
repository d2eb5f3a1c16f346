/** What an erasure takes out of what is stored: the person's own records, and mentions in those of others. */
import type { Privacy } from '../../normalize/privacy/privacy.ts';
import { hideInColumns } from '../../normalize/privacy/strip-records.ts';
import type { Db } from '../../warehouse/db/database.ts';
import {
  readUserPersons,
  type RemovedAccount,
  type UserPersonToKeep,
} from '../../warehouse/directory/user-persons.ts';
import { findMentions, findPersonRecords } from '../../warehouse/orders/find-person.ts';
import { toPersonToKeep } from '../../warehouse/orders/order-persons.ts';
import { readTypedOrders, type StrippedOrder, type TypedOrder } from '../../warehouse/orders/strip-orders.ts';
import { hiddenCodes, planLines, type StrippedLines, stripStored } from '../run/strip-stored.ts';
import { type FoundPerson, toSearch } from './find-person.ts';

export type Erasure = {
  /** The person's orders, without the person. */
  readonly own: readonly StrippedOrder[];
  readonly accounts: readonly RemovedAccount[];
  /** Of others: without the person's contacts. */
  readonly mentions: {
    readonly orders: readonly StrippedOrder[];
    readonly users: readonly UserPersonToKeep[];
  };
  readonly lines: StrippedLines;
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
  const own = (await readTypedOrders(db, shopId, { ids: ownIds })).map((order) => {
    const isOfAccount = order.buyerOid !== null && accounts.has(order.buyerOid);
    return stripStored(privacy, order, isOfAccount ? erased.standIn(order.buyerOid) : undefined);
  });
  const mentions = await findMentions(db, shopId, search);
  const isOwn = new Set(ownIds);
  const withLines = [...new Set([...ownIds, ...mentions.orderIds])];
  const others = { ids: mentions.orderIds.filter((orderId) => !isOwn.has(orderId)) };
  const users = { ids: mentions.userOids.filter((userOid) => !accounts.has(userOid)) };
  return {
    own,
    accounts: [...accounts].map((userOid) => ({ userOid, standIn: erased.standIn(userOid) })),
    mentions: {
      orders: (await readTypedOrders(db, shopId, others)).flatMap((order) => withoutMentions(privacy, order)),
      users: (await readUserPersons(db, shopId, users)).flatMap(({ userOid, person }) => {
        const hidden = privacy.withoutMentions(person);
        return hidden === undefined ? [] : [{ userOid, person: hidden }];
      }),
    },
    lines: await planLines(db, shopId, privacy, withLines, (orderId) => isOwn.has(orderId)),
  };
}

/** Somebody else's order, if it mentions the person. */
function withoutMentions(privacy: Privacy, order: TypedOrder): readonly StrippedOrder[] {
  const isMention = (text: string) => privacy.erased.areIn(text);
  const { columns, fields } = hideInColumns(order.columns, isMention);
  const former = hiddenCodes(
    order,
    (code) => hideInColumns({ ...order.columns, ...code }, isMention).columns,
  );
  const hidden = order.person === null ? undefined : privacy.withoutMentions(order.person);
  const isTyped = Object.keys(columns).length + former.status_code.length + former.pay_status_code.length > 0;
  if (!isTyped && hidden === undefined) return [];
  const { fingerprint, orderId } = order;
  const person = hidden && toPersonToKeep(hidden);
  const typed = { ...order.columns, ...columns };
  return [{ orderId, columns: typed, fields, fingerprint, hiddenCodes: former, standIn: undefined, person }];
}
