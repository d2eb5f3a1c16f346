import { randomBytes } from 'node:crypto';

import { hashIdentifier, type Identifier } from '../../normalize/privacy/identifiers.ts';
import type { Db } from '../../warehouse/db/database.ts';
import { addStandIns, removeAccounts, writeUserPersons } from '../../warehouse/directory/users.ts';
import { loadShopState, rememberErasures } from '../../warehouse/ops/stored-shop-state.ts';
import { fenced } from '../../warehouse/ops/lease.ts';
import { forgetFields } from '../../warehouse/ops/payload-fields.ts';
import { refreshSummaries } from '../../warehouse/ops/refresh-summaries.ts';
import { forgetOrders } from '../../warehouse/orders/forget-persons.ts';
import { writePersons } from '../../warehouse/orders/persons.ts';
import type { RunContext, RunOutcome, RunPorts, RunShop } from '../run/context.ts';
import { type RunEnd, runStoredShop } from '../run/run-shop.ts';
import { openPrivacy } from '../run/privacy-policy.ts';
import { type Erasure, findPerson, type FoundPerson, planErasure } from './plan-erasure.ts';

export type Forgotten = {
  readonly accounts: number;
  /** Identifiers that are remembered by their hashes, each form of a phone number counted. */
  readonly identifiers: number;
  /** Contacts of the person's records that others use, too; they are not erased. */
  readonly shared: number;
  readonly orders: number;
  /** Records of others that lose a contact of the person. */
  readonly mentions: number;
};

/**
 * Erases a person from everything stored of a shop, and remembers keyed hashes, so that later runs store nothing of what the
 * shop still sends. All of it is one transaction.
 *
 * @throws TerminalError when another process holds the shop
 */
export async function forgetPerson(
  context: RunContext,
  shopId: number,
  identifiers: readonly Identifier[],
): Promise<RunEnd<Forgotten>> {
  return runStoredShop(context, shopId, 'forget', ({ ports }) => forget(ports, identifiers));
}

async function forget(ports: RunPorts, identifiers: readonly Identifier[]): Promise<RunOutcome<Forgotten>> {
  const { db, guestSecret, lease, shop, signal } = ports;
  const { shopId } = lease;
  const found = await findPerson(db, shopId, identifiers);
  const hashes = found.identifiers.map((identifier) => hashIdentifier(guestSecret, identifier));
  const before = (await loadShopState(db, shopId))?.erasures ?? new Set();
  const erased = new Set([...before, ...hashes]);
  const privacy = await openPrivacy(db, shopId, shop, guestSecret, erased);
  const erasure = await planErasure(db, shopId, privacy, found);
  signal.throwIfAborted();
  await fenced(db, lease, async (tx) => {
    await rememberErasures(tx, shopId, hashes);
    await addStandIns(tx, shopId, erasure.accounts);
    await forgetOrders(tx, shopId, erasure.own);
    const accounts = erasure.accounts.map(({ userOid }) => userOid);
    await removeAccounts(tx, shopId, accounts);
    await writePersons(tx, shopId, erasure.mentions.orders);
    await writeUserPersons(tx, shopId, erasure.mentions.users);
    // Somebody may have typed a name where the shop expects that of a field.
    await forgetFields(tx, shopId);
    // They hold the number of the account.
    await refreshSummaries(tx);
  });
  return { ...toForgotten(found, erasure), status: 'ok', problems: [] };
}

/** What `forgetPerson` would do. Writes nothing, and needs no lease. */
export async function previewForget(
  { db, shop }: { readonly db: Db; readonly shop: RunShop },
  shopId: number,
  identifiers: readonly Identifier[],
): Promise<Forgotten> {
  const found = await findPerson(db, shopId, identifiers);
  // Any secret finds the same persons.
  const secret = randomBytes(32).toString('hex');
  const erased = new Set(found.identifiers.map((identifier) => hashIdentifier(secret, identifier)));
  const privacy = await openPrivacy(db, shopId, shop, secret, erased);
  return toForgotten(found, await planErasure(db, shopId, privacy, found));
}

function toForgotten({ stored, identifiers, shared }: FoundPerson, { own, mentions }: Erasure): Forgotten {
  return {
    accounts: stored,
    identifiers: identifiers.length,
    shared,
    orders: own.length,
    mentions: mentions.orders.length + mentions.users.length,
  };
}
