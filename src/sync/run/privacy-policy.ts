/** Which persons' data a run may store, by the settings and by what `forget` remembers; and what is done once it is none. */
import { createHash, randomBytes } from 'node:crypto';

import { TerminalError } from '../../model/errors.ts';
import { nextStep } from '../../model/next-step.ts';
import { isJsonObject } from '../../model/json.ts';
import { joinOrder } from '../../normalize/privacy/records.ts';
import { codeKey, Privacy } from '../../normalize/privacy/privacy.ts';
import type { Db } from '../../warehouse/db/database.ts';
import { readKnownCodes } from '../../warehouse/directory/owner-codes.ts';
import { readShownFields } from '../../warehouse/directory/owner-fields.ts';
import { readUserPersons, writeUserPersons } from '../../warehouse/directory/users.ts';
import { fenced } from '../../warehouse/ops/lease.ts';
import { forgetFields } from '../../warehouse/ops/payload-fields.ts';
import { dropDue } from '../../warehouse/ops/due.ts';
import {
  keepGuestSecret,
  type StoredShopState,
  updateShopState,
} from '../../warehouse/ops/stored-shop-state.ts';
import {
  forgetOrders,
  type ForgottenOrder,
  type PersonalOrder,
  readPersonalOrders,
} from '../../warehouse/orders/forget-persons.ts';
import type { RunContext, RunPorts, RunShop, RunState } from './context.ts';

/** Reads what the owner decided on fields and codes. @param secret key of the hashes: the guests' */
export async function openPrivacy(
  db: Db,
  shopId: number,
  shop: Pick<RunShop, 'pseudonymize' | 'timezone'>,
  secret: string,
  erased: ReadonlySet<string>,
): Promise<Privacy> {
  const isPseudonymizing = shop.pseudonymize !== undefined;
  const shown = await readShownFields(db, shopId);
  const keptFields = new Set([...shown, ...(shop.pseudonymize?.keptFields ?? [])]);
  const codes = await readKnownCodes(db, shopId);
  const knownCodes = new Set(codes.map(({ column, code }) => codeKey(column, code)));
  return new Privacy({ secret, shop, isPseudonymizing, erased, keptFields, knownCodes });
}

/** The setting that stored rows comply with; null: everything is kept. */
export function privacyPolicy({ pseudonymize }: Pick<RunShop, 'pseudonymize'>): string | null {
  if (pseudonymize === undefined) return null;
  return `pseudonymize ${JSON.stringify([...new Set(pseudonymize.keptFields)].toSorted())}`;
}

/** Records of one transaction. */
const BATCH = 500;

type Ports = Pick<RunPorts, 'db' | 'lease' | 'logger' | 'now' | 'privacy' | 'shop' | 'signal'>;

/** A stored order without its person. @param standIn what takes the place of its account */
export function forgotten(privacy: Privacy, order: PersonalOrder, standIn?: string): ForgottenOrder {
  const { fingerprint, orderId, person } = order;
  const without = { orderId, standIn, fingerprint: privacy.strippedFingerprint(fingerprint) };
  if (person === null) return { ...without, person };
  const { rest, content_rest: _content, ...columns } = person;
  return { ...without, person: privacy.keptPerson(columns, joinOrder({}, columns, rest)) };
}

/**
 * Deletes all persons that are stored of a shop, batch by batch. What ends early is begun again by the next run, and skips what was
 * done.
 */
export async function forgetAll(
  ports: Ports,
  state: Pick<RunState, 'privacyPolicy'>,
  policy: string,
): Promise<void> {
  const { db, lease, logger, now, privacy, shop, signal } = ports;
  const { shopId } = lease;
  for (let after: string | undefined; ;) {
    signal.throwIfAborted();
    const orders = await readPersonalOrders(db, shopId, { after, limit: BATCH });
    if (orders.length === 0) break;
    after = orders.at(-1)?.orderId;
    const without = orders.map((order) => forgotten(privacy, order));
    await fenced(db, lease, (tx) => forgetOrders(tx, shopId, without));
  }
  for (let after: string | undefined; ;) {
    signal.throwIfAborted();
    const users = await readUserPersons(db, shopId, { after, limit: BATCH });
    if (users.length === 0) break;
    after = users.at(-1)?.userOid;
    const kept = users.map(({ userOid, person: { rest: _rest, ...person } }) => {
      const { content, ...columns } = person;
      const profile = { ...columns, ...(isJsonObject(content) ? content : {}) };
      return { userOid, person: privacy.keptProfile(person, profile) };
    });
    await fenced(db, lease, (tx) => writeUserPersons(tx, shopId, kept));
  }
  await fenced(db, lease, async (tx) => {
    // Somebody may have typed a name where the shop expects that of a field.
    await forgetFields(tx, shopId);
    await updateShopState(tx, shopId, { privacy_policy: policy }, now());
  });
  state.privacyPolicy = policy;
  logger.info({ shop: shop.shopKey }, 'persons removed from what is stored');
}

const SECRET_BYTES = 32;

/**
 * The secret that hashes a shop's guests to customer keys, the same for all rows, or one guest would count as two: the configured
 * one, which must be the one that made the existing rows, or else a random one, stored in the warehouse where no BI role sees it. Of a
 * configured one only the digest is stored.
 *
 * @throws TerminalError when the keys of the shop's guests were made with another secret
 */
export async function settleGuestSecret(
  { db, lease, rekey, shop }: Pick<RunContext, 'db' | 'rekey' | 'shop'> & Pick<RunPorts, 'lease'>,
  { erasures, guestSecret: present }: Pick<StoredShopState, 'erasures' | 'guestSecret'>,
): Promise<string> {
  const known = shop.guestSecret ?? present?.secret;
  if (present !== undefined && rekey !== true) {
    if (known && hashSecret(known) === present.digest) return known;
    throw new TerminalError(
      `the guests' customer keys of shop ${shop.shopKey} were made with another PII_SECRET` +
        `${present.secret === null ? ': set that one' : ' (none): unset it'}, or run ${nextStep('replace guest keys', { shop: shop.shopKey })} to recreate all of these keys`,
    );
  }
  const secret = known ?? randomBytes(SECRET_BYTES).toString('hex');
  const next = { secret: shop.guestSecret === undefined ? secret : null, digest: hashSecret(secret) };
  if (present?.digest === next.digest && present.secret === next.secret) return secret;
  if (present !== undefined && present.digest !== next.digest && erasures.size > 0) {
    throw new TerminalError(
      `shop ${shop.shopKey} remembers ${erasures.size} identifiers of erased persons by hashes made with the present ` +
        'secret; with another one, these persons would be stored again: keep the secret',
    );
  }
  await fenced(db, lease, async (tx) => {
    await keepGuestSecret(tx, lease.shopId, next);
    // An unfinished replay made its keys with another secret.
    await dropDue(tx, lease.shopId, 'replay', ['']);
  });
  return secret;
}

function hashSecret(secret: string): string {
  return createHash('sha256').update('order-sync guest keys\0').update(secret).digest('hex');
}
