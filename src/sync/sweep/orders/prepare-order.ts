import { isJsonObject, type JsonObject, type JsonValue } from '../../../model/json.ts';
import type { Profile } from '../../../model/persons.ts';
import { DOCUMENTED_FIELDS } from '../../../normalize/order-fields.ts';
import type { OfOrder } from '../../../normalize/privacy/privacy.ts';
import { contentLines } from '../../../shop-api/endpoints/order-content.ts';
import type { ListRow } from '../../../shop-api/endpoints/list-orders.ts';
import type { DueLines } from '../../../warehouse/orders/due-lines.ts';
import type { LinesToLoad } from '../../../warehouse/orders/load-lines.ts';
import type { StoredOrder } from '../../../warehouse/orders/stored-orders.ts';
import { asRecordFault, faultText } from '../../ask/record-faults.ts';
import type { Sweep } from '../../run/context.ts';
import type { NormalizedOrder } from '../../run/write-normalized.ts';

/** An order to load, as a list showed it. */
export type Listed = {
  readonly row: ListRow;
  readonly fingerprint: string;
  /** As it is stored; undefined where it is not. */
  readonly stored: StoredOrder | undefined;
  /** The instant at which the walk saw it. */
  readonly seenAt: Temporal.Instant;
};

/** What came of asking for the lines of an order. */
export type Content =
  | { readonly kind: 'found'; readonly raw: JsonObject; readonly at: Temporal.Instant }
  | { readonly kind: 'failed'; readonly reason: string; readonly at: Temporal.Instant };

/**
 * Fetches the lines of an order, unless its row differs by new fields alone. Lines that cannot be fetched do not hold up the order.
 *
 * @returns undefined where the lines that are stored are right
 * @throws TerminalError when the shop refuses more than this order, UnavailableError when it is unavailable: other
 *   orders would fail too
 */
export async function fetchOrder(sweep: Sweep, { stored, row }: Listed): Promise<Content | undefined> {
  const isKept = stored !== undefined && (await hasNewFieldsOnly(sweep, row, stored));
  return isKept ? undefined : fetchContent(sweep, row.orderId);
}

/** @throws as `fetchOrder` does */
export async function fetchContent({ ports }: Sweep, orderId: string): Promise<Content> {
  const { api, now, questions, signal } = ports;
  const failed = (reason: string): Content => ({ kind: 'failed', reason, at: now() });
  try {
    const content = await api.orderContent(orderId, signal);
    if (content.kind === 'gone') return failed('the shop says that a listed order has no content');
    if (content.lines.length > 0) questions.recordContent();
    return { kind: 'found', raw: content.raw, at: now() };
  } catch (error) {
    return failed(faultText(asRecordFault(error, signal), 'the content of this order'));
  }
}

/**
 * Normalizes an order with its lines.
 *
 * @param content undefined: its lines stay
 * @param profile what is known of its account's person
 */
export function prepareOrder(
  sweep: Sweep,
  { fingerprint, stored, row, seenAt }: Listed,
  content: Content | undefined,
  profile: Profile | undefined,
): NormalizedOrder {
  const { fields } = sweep.state;
  const normalized = sweep.ports.privacy.order(row.raw, profile);
  collectFields(fields.order, normalized.payload);
  collectFields(fields.order, normalized.person?.rest);
  collectFields(fields.form, normalized.person?.fields);
  const { payload, person, rejections } = normalized;
  if (normalized.row === undefined) return { order: undefined, rejections };
  const isSame = stored !== undefined && (stored.fingerprint === fingerprint || content === undefined);
  const isDoubtful = stored?.linesState === 'doubtful';
  const wanted = {
    orderId: row.orderId,
    attempts: isDoubtful && !isSame ? 0 : (stored?.linesAttempts ?? 0),
    isDoubtful: isDoubtful && isSame,
    itemCount: normalized.row.item_count,
    isStripped: normalized.isStripped,
    finds: normalized.finds,
  };
  const read = content && readContent(sweep, wanted, content);
  const observedAt = isSame ? stored.observedAt : seenAt;
  const order = { row: normalized.row, fingerprint, payload, person, lines: read?.lines, seenAt, observedAt };
  return { order, rejections: [...rejections, ...(read?.rejections ?? [])] };
}

/**
 * Whether a row differs from the stored one by fields alone that no row of the shop had when that was seen last: an update of the
 * shop that adds a field to all orders changes none of their lines, and they are not asked for again.
 */
async function hasNewFieldsOnly(
  { ports }: Sweep,
  { raw }: ListRow,
  { fingerprint, lastSeenAt, linesState }: StoredOrder,
): Promise<boolean> {
  if (linesState !== 'ok' || fingerprint === ports.privacy.fingerprint(raw)) return false;
  const times = await ports.fieldTimes(ports.signal);
  const known = Object.entries(raw).filter(([field]) => {
    const at = times.get(field);
    const isOlder = at !== undefined && Temporal.Instant.compare(at, lastSeenAt) <= 0;
    return isOlder || DOCUMENTED_FIELDS.has(field);
  });
  return fingerprint === ports.privacy.fingerprint(Object.fromEntries(known));
}

/** Lines as they may be stored, or why there are none: a failure is a value, so that it does not hold up other orders. */
export function readContent(
  { ports, state }: Sweep,
  { orderId, attempts, isDoubtful, itemCount, ...order }: Omit<DueLines, 'known'> & OfOrder,
  content: Content,
): Pick<NormalizedOrder, 'rejections'> & { readonly lines: LinesToLoad } {
  // Failed lines were not doubtful, and vice versa: each count starts over.
  const failures = isDoubtful ? 0 : attempts;
  const failed = (reason: string) => ({
    lines: { kind: 'failed', attempts: failures + 1, triedAt: content.at, reason } as const,
    rejections: [],
  });
  if (content.kind === 'failed') return failed(content.reason);
  const elements = contentLines(content.raw) ?? [];
  const isSilent = Object.keys(content.raw).length === 0 && itemCount === null;
  if (elements.length === 0 && (isSilent || Number(itemCount ?? 0) > 0))
    return failed('the shop returned empty content for an order that it lists with items');
  const { rejections, ...lines } = ports.privacy.lines(orderId, content.raw, elements, order);
  for (const line of elements) collectFields(state.fields.line, line);
  const doubtfulAttempts = isDoubtful ? attempts + 1 : undefined;
  return { lines: { kind: 'fetched', ...lines, fetchedAt: content.at, doubtfulAttempts }, rejections };
}

/** The names that a schema has, rather than keys that are data. */
const FIELD_NAME = /^[a-z_]\w{0,62}$/i;
const MAX_FIELDS = 200;

function collectFields(seen: Set<string>, record: JsonValue | undefined): void {
  if (!isJsonObject(record)) return;
  for (const name of Object.keys(record)) {
    if (!seen.has(name) && seen.size < MAX_FIELDS && FIELD_NAME.test(name)) seen.add(name);
  }
}
