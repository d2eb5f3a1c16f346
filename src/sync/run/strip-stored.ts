/**
 * Which persons' data a run may store, by the settings and by what `forget` remembers; and takes persons out of what is stored: of
 * all orders once none may be stored any more, or of those of one person.
 */
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import { joinOrder } from '../../normalize/privacy/divide-records.ts';
import { codeKey, Privacy } from '../../normalize/privacy/privacy.ts';
import type { Db, Tx } from '../../warehouse/db/database.ts';
import { readKnownCodes, removeUnusedCodes } from '../../warehouse/directory/owner-codes.ts';
import { readShownFields } from '../../warehouse/directory/owner-fields.ts';
import { readUserPersons, writeUserPersons } from '../../warehouse/directory/users.ts';
import { fenced } from '../../warehouse/ops/lease.ts';
import { forgetFields } from '../../warehouse/ops/payload-fields.ts';
import { savePrivacyPolicy } from '../../warehouse/ops/stored-shop-state.ts';
import {
  type LineTexts,
  readLineTexts,
  readTypedOrders,
  type StrippedOrder,
  type TypedOrder,
  writeLineTexts,
  writeStripped,
} from '../../warehouse/orders/strip-orders.ts';
import { type PayloadToReplace, readRawContents, replacePayloads } from '../../warehouse/raw/raw-records.ts';
import type { RunPorts, RunShop, RunState } from './context.ts';

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

/** What is left of a stored order without its person. @param standIn what takes the place of its account */
export function stripStored(privacy: Privacy, order: TypedOrder, standIn?: string): StrippedOrder {
  const record = personRecord(order);
  const { columns, fields } = privacy.strip(order.columns, record);
  const person = privacy.keptPerson(order.person?.fields ?? null, record);
  return {
    orderId: order.orderId,
    columns: { ...order.columns, ...columns },
    fields,
    fingerprint: privacy.strippedFingerprint(order.fingerprint),
    hiddenCodes: hiddenCodes(order, (code) => privacy.strip({ ...order.columns, ...code }, record).columns),
    standIn,
    person: { person, contentRest: null },
  };
}

/** As the shop sent it, as far as it tells who the person is. */
function personRecord({ person }: TypedOrder): JsonObject {
  if (person === null) return {};
  const { content_rest: _lines, rest, ...columns } = person;
  return joinOrder({}, columns, rest);
}

/** Former codes that the order would not keep either. */
export function hiddenCodes(
  { formerCodes }: TypedOrder,
  strip: (code: Partial<TypedOrder['columns']>) => Partial<TypedOrder['columns']>,
): StrippedOrder['hiddenCodes'] {
  const hidden = (column: keyof TypedOrder['formerCodes']) =>
    formerCodes[column].filter((code) => strip({ [column]: code })[column] !== undefined);
  return { status_code: hidden('status_code'), pay_status_code: hidden('pay_status_code') };
}

/** Stored lines that lose texts, in rows and in the shop's answers. */
export type StrippedLines = {
  readonly lines: readonly LineTexts[];
  readonly contents: readonly PayloadToReplace[];
};

/** @param isStripped whether an order is stored without its person: then its lines keep no contact of anybody */
export async function planLines(
  db: Db,
  shopId: number,
  privacy: Privacy,
  orderIds: readonly string[],
  isStripped: (orderId: string) => boolean,
): Promise<StrippedLines> {
  const lines = await readLineTexts(db, shopId, orderIds);
  const contents = await readRawContents(db, shopId, orderIds);
  return {
    lines: lines.flatMap((line) => {
      const texts = privacy.withoutMentions(line.texts, isStripped(line.orderId));
      return texts === undefined ? [] : [{ ...line, texts }];
    }),
    contents: contents.flatMap(({ key, payload }) => {
      const hidden = privacy.contentWithoutMentions(payload, isStripped(key));
      return hidden === undefined ? [] : [{ key, payload: hidden }];
    }),
  };
}

export async function writeLines(tx: Tx, shopId: number, { lines, contents }: StrippedLines): Promise<void> {
  await writeLineTexts(tx, shopId, lines);
  await replacePayloads(tx, 'order_contents', shopId, contents);
}

/**
 * Takes all persons out of what is stored of a shop, batch by batch. One that ends early is begun again by the next run,
 * and skips what was done.
 */
export async function stripAllStored(
  ports: Ports,
  state: Pick<RunState, 'privacyPolicy'>,
  policy: string,
): Promise<void> {
  const { db, lease, logger, now, privacy, shop, signal } = ports;
  const { shopId } = lease;
  for (let after: string | undefined; ;) {
    signal.throwIfAborted();
    const orders = await readTypedOrders(db, shopId, { after, limit: BATCH });
    if (orders.length === 0) break;
    after = orders.at(-1)?.orderId;
    const stripped = orders.map((order) => stripStored(privacy, order));
    const ids = orders.map(({ orderId }) => orderId);
    const lines = await planLines(db, shopId, privacy, ids, () => true);
    await fenced(db, lease, async (tx) => {
      await writeStripped(tx, shopId, stripped);
      await writeLines(tx, shopId, lines);
    });
  }
  for (let after: string | undefined; ;) {
    signal.throwIfAborted();
    const users = await readUserPersons(db, shopId, { after, limit: BATCH });
    if (users.length === 0) break;
    after = users.at(-1)?.userOid;
    const kept = users.map(({ userOid, person: { content, rest: _rest, ...columns } }) => {
      const profile = { ...columns, ...(isJsonObject(content) ? content : {}) };
      return { userOid, person: privacy.keptProfile(profile) };
    });
    await fenced(db, lease, (tx) => writeUserPersons(tx, shopId, kept));
  }
  await fenced(db, lease, async (tx) => {
    await removeUnusedCodes(tx, shopId);
    // Somebody may have typed a name where the shop expects that of a field.
    await forgetFields(tx, shopId);
    await savePrivacyPolicy(tx, shopId, policy, now());
  });
  state.privacyPolicy = policy;
  logger.info({ shop: shop.shopKey }, 'persons removed from what is stored');
}
