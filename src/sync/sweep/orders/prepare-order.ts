import { isJsonObject, type JsonObject, type JsonValue } from '../../../model/json.ts';
import type { Profile } from '../../../model/persons.ts';
import { normalizeLines } from '../../../normalize/lines.ts';
import { createdMinute } from '../../../normalize/order.ts';
import { DOCUMENTED_FIELDS } from '../../../normalize/order-fields.ts';
import type { OfOrder, Privacy } from '../../../normalize/privacy/privacy.ts';
import { type Rejection, withKey } from '../../../normalize/rejection.ts';
import { contentLines } from '../../../shop-api/endpoints/get-order-content.ts';
import type { ListRow } from '../../../shop-api/endpoints/list-orders.ts';
import type { DueLines } from '../../../warehouse/orders/due-lines.ts';
import type { LinesToLoad } from '../../../warehouse/orders/load-lines.ts';
import type { OrderPayload, OrderToLoad } from '../../../warehouse/orders/load-orders.ts';
import type { HeldOrder } from '../../../warehouse/orders/stored-orders.ts';
import { asRecordFault, faultText } from '../../ask/record-faults.ts';
import type { Sweep } from '../../run/context.ts';

export type Listed = { readonly row: ListRow; readonly fingerprint: string };

export function toListed(privacy: Privacy, row: ListRow): Listed {
  return { row, fingerprint: privacy.fingerprint(row.raw) };
}

/** An order ready to be written but for the instant at which it was seen, and what could not be normalized. */
export type Prepared = {
  readonly order:
    | (Omit<OrderToLoad, 'seenAt' | 'observedAt'> & {
        /** When it last changed; undefined where it is new or changed. */
        readonly observedAt: Temporal.Instant | undefined;
        /** What the shop sent of it, to be read again once it is known who its account is. */
        readonly sent: { readonly row: JsonObject; readonly answer: JsonObject | undefined };
      })
    | undefined;
  /** The list row, if it could not be normalized. */
  readonly unread: Omit<OrderPayload, 'seenAt'> | undefined;
  readonly rejections: readonly Rejection[];
  /** Why its lines could not be fetched. */
  readonly failure: string | undefined;
};

/**
 * Fetches an order's lines and normalizes order and lines. Lines that cannot be fetched do not hold up the header.
 *
 * @throws TerminalError when the shop refuses more than this order: others would fail too
 */
export async function prepareOrder(
  sweep: Sweep,
  listed: Listed,
  held: HeldOrder | undefined,
): Promise<Prepared> {
  const { row, fingerprint } = listed;
  const { privacy } = sweep.ports;
  const normalized = privacy.order(row.raw);
  const { fields } = sweep.found;
  collectFields(fields.order, normalized.payload);
  collectFields(fields.order, normalized.person?.rest);
  collectFields(fields.form, normalized.person?.fields);
  if (normalized.row === undefined) {
    const unread = { orderId: row.orderId, payload: normalized.payload };
    const day = createdMinute(row.raw, sweep.ports.shop)?.toPlainDate().toString();
    if (day !== undefined) sweep.found.unread.set(row.orderId, day);
    const rejections = withKey(normalized.rejections, row.orderId);
    return { order: undefined, unread, rejections, failure: undefined };
  }
  const isRetold = held !== undefined && (await hasNewFieldsOnly(sweep, row, held));
  const isSame = held !== undefined && (held.fingerprint === fingerprint || isRetold);
  const isDoubtful = held?.linesState === 'doubtful';
  const kept = isRetold ? keptLines(held) : undefined;
  const { lines, answer, rejections, failure } =
    kept ??
    (await fetchLines(sweep, {
      orderId: row.orderId,
      attempts: isDoubtful && !isSame ? 0 : (held?.linesAttempts ?? 0),
      isDoubtful: isDoubtful && isSame,
      itemCount: normalized.row.item_count,
      isStripped: normalized.isStripped,
      finds: normalized.finds,
    }));
  const order = {
    row: normalized.row,
    fingerprint,
    payload: normalized.payload,
    person: normalized.person,
    sent: { row: row.raw, answer },
    observedAt: isSame ? held.observedAt : undefined,
    lastSeenAt: held?.lastSeenAt,
    lines,
  };
  return { order, unread: undefined, rejections: [...normalized.rejections, ...rejections], failure };
}

type PreparedOrder = NonNullable<Prepared['order']>;

/** The order without the person of its account. @param profiles by the numbers of accounts */
export function withoutProfile<
  Order extends Pick<PreparedOrder, 'row' | 'payload' | 'person' | 'sent' | 'lines'>,
>(privacy: Privacy, profiles: ReadonlyMap<string, Profile>, order: Order): Order {
  const { lines, row, sent } = order;
  const profile = profiles.get(row.buyer_oid ?? '');
  const rows = lines.kind === 'fetched' ? lines.rows : [];
  if (profile === undefined || !privacy.isFoundIn(profile, row, rows)) return order;
  const { row: clean, payload, person, ...ofOrder } = privacy.order(sent.row, profile);
  if (clean === undefined) return order;
  if (lines.kind !== 'fetched' || sent.answer === undefined) return { ...order, row: clean, payload, person };
  const { rejections: _known, ...parts } = readLines(privacy, row.order_id, sent.answer, ofOrder);
  return { ...order, row: clean, payload, person, lines: { ...lines, ...parts } };
}

/** Whether a row differs from the stored one by fields alone that no row of the shop had when that was seen last. */
async function hasNewFieldsOnly(
  { ports }: Sweep,
  { raw }: ListRow,
  { fingerprint, lastSeenAt, linesState }: HeldOrder,
): Promise<boolean> {
  if (linesState !== 'ok' || fingerprint === ports.privacy.fingerprint(raw)) return false;
  const times = await ports.fieldTimes();
  const known = Object.entries(raw).filter(([field]) => {
    const at = times.get(field);
    const isOlder = at !== undefined && Temporal.Instant.compare(at, lastSeenAt) <= 0;
    return isOlder || DOCUMENTED_FIELDS.has(field);
  });
  return fingerprint === ports.privacy.fingerprint(Object.fromEntries(known));
}

/** An update of the shop that adds a field to all orders changes none of their lines: they are not asked for again. */
function keptLines({ linesState, linesAttempts, linesFetchedAt }: HeldOrder): FetchedLines | undefined {
  if (linesFetchedAt === undefined) return undefined;
  const lines = {
    kind: 'kept',
    state: linesState,
    attempts: linesAttempts,
    triedAt: linesFetchedAt,
  } as const;
  return { lines, answer: undefined, rejections: [], failure: undefined };
}

type FetchedLines = {
  readonly lines: LinesToLoad;
  readonly answer: JsonObject | undefined;
  readonly rejections: readonly Rejection[];
  /** Why the lines could not be fetched. */
  readonly failure: string | undefined;
};

/**
 * Fetches the lines of an order and normalizes them. A failure is returned as a value, and a rejection too, so that it does not
 * hold up other orders.
 *
 * @throws TerminalError when the shop refuses more than this order, UnavailableError when it is unavailable: other
 *   orders would fail too
 */
export async function fetchLines(
  { ports, found }: Sweep,
  { orderId, attempts, isDoubtful, itemCount, ...order }: DueLines & OfOrder,
): Promise<FetchedLines> {
  const { api, now, privacy, questions, signal } = ports;
  // What failed was not doubtful, and the other way round: each begins anew.
  const failures = isDoubtful ? 0 : attempts;
  const failed = (reason: string): FetchedLines => ({
    lines: { kind: 'failed', attempts: failures + 1, triedAt: now(), reason },
    answer: undefined,
    rejections: [],
    failure: reason,
  });
  try {
    const content = await api.orderContent(orderId, signal);
    if (content.kind === 'gone') return failed('the shop says that a listed order has no content');
    const isSilent = Object.keys(content.raw).length === 0 && itemCount === null;
    const isLost = content.lines.length === 0 && (isSilent || Number(itemCount ?? 0) > 0);
    if (isLost) return failed('the shop returned empty content for an order that it lists with items');
    const elements = contentLines(content.raw) ?? [];
    const { rows, rejections, payload, rest } = readLines(privacy, orderId, content.raw, order);
    for (const line of elements) collectFields(found.fields.line, line);
    if (content.lines.length > 0) questions.recordContent();
    const doubtTries = isDoubtful ? attempts + 1 : undefined;
    const lines = { kind: 'fetched' as const, rows, payload, rest, fetchedAt: now(), doubtTries };
    return { lines, answer: content.raw, rejections, failure: undefined };
  } catch (error) {
    return failed(faultText(asRecordFault(error, signal), 'the content of this order'));
  }
}

/** The lines in an answer as they may be stored. */
export function readLines(privacy: Privacy, orderId: string, answer: JsonObject, order: OfOrder) {
  const normalize = (lines: readonly JsonValue[]) => normalizeLines(orderId, lines);
  return privacy.lines(answer, contentLines(answer), normalize, order);
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
