import { randomBytes } from 'node:crypto';

import { hashIdentifier, type Identifier } from '../../normalize/privacy/identifiers.ts';
import type { Db } from '../../warehouse/db/database.ts';
import { rememberErasures } from '../../warehouse/ops/erasures.ts';
import { fenced } from '../../warehouse/ops/lease.ts';
import { loadShopState } from '../../warehouse/ops/stored-shop-state.ts';
import { openPrivacy, privacyPolicy, scrubTarget } from '../privacy/open-privacy.ts';
import { countScrubbed, type ScrubCounts } from '../privacy/scrub-batches.ts';
import { saveScrubState } from '../privacy/scrub-state.ts';
import { scrubStored } from '../privacy/scrub-stored.ts';
import type { RunContext, RunOutcome, RunPorts, RunShop, RunState } from '../run/context.ts';
import { type RunEnd, runStoredShop } from '../run/run-shop.ts';
import { findPerson } from './find-person.ts';

export type Forgotten = {
  /** Accounts of the person. */
  readonly accounts: number;
  /** Identifiers that are remembered by their hashes, each form of a phone number counted. */
  readonly identifiers: number;
  /** Contacts of the person's records that others use, too; they are not erased. */
  readonly shared: number;
  /** Rows changed or removed, by table. */
  readonly tables: ScrubCounts;
};

/**
 * Erases a person from everything stored of a shop, and remembers keyed hashes, so that later runs erase what the shop
 * still sends. The hashes come first: a run that ends early is completed by the next run of any kind.
 *
 * @throws TerminalError when another process holds the shop
 */
export async function forgetPerson(
  context: RunContext,
  shopId: number,
  given: readonly Identifier[],
): Promise<RunEnd<Forgotten>> {
  return runStoredShop(context, shopId, 'forget', (run) => forget(run, given));
}

type Run = { readonly ports: RunPorts; readonly state: RunState };

async function forget({ ports, state }: Run, given: readonly Identifier[]): Promise<RunOutcome<Forgotten>> {
  const { db, lease, now, shop } = ports;
  const { shopId } = lease;
  const { identifiers, accounts, shared } = await findPerson(db, shopId, given);
  const hashes = identifiers.map((identifier) => hashIdentifier(shop.guestSecret, identifier));
  const fresh = { ...state.scrub, position: undefined };
  await fenced(db, lease, async (tx) => {
    await rememberErasures(tx, shopId, hashes);
    await saveScrubState(tx, shopId, fresh, now());
  });
  state.scrub = fresh;
  const erasures = (await loadShopState(db, shopId))?.erasures ?? new Map<string, boolean>();
  const erased = new Set(erasures.keys());
  const privacy = await openPrivacy({ db, shopId, shop, secret: shop.guestSecret, erased });
  const target = scrubTarget(privacyPolicy(shop), fresh, erasures) ?? '';
  const tables = await scrubStored({ ...ports, privacy }, state, target, fresh.policy);
  return { accounts, identifiers: hashes.length, shared, tables, status: 'ok', problems: [] };
}

/** What `forgetPerson` would do. Writes nothing, and needs no lease. */
export async function previewForget(
  { db, shop, signal }: { readonly db: Db; readonly shop: RunShop; readonly signal: AbortSignal },
  shopId: number,
  given: readonly Identifier[],
): Promise<Forgotten> {
  const { identifiers, accounts, shared } = await findPerson(db, shopId, given);
  // Any secret finds the same persons.
  const guestSecret = randomBytes(32).toString('hex');
  const erased = new Set(identifiers.map((identifier) => hashIdentifier(guestSecret, identifier)));
  const privacy = await openPrivacy({ db, shopId, shop, secret: guestSecret, erased });
  const scrubbing = { db, shopId, shop: { ...shop, guestSecret }, privacy };
  const tables = await countScrubbed(scrubbing, signal);
  return { accounts, identifiers: identifiers.length, shared, tables };
}
