/** The content of one order, or one user: as documented, or whatever the shop answers. */
import { TerminalError } from '../../model/errors.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import type { ApiClient } from '../wire/api-request.ts';
import { dataReader, type ReadShape, type Shaped } from '../wire/read-answer.ts';
import { classifyAnswer, type ResponseKind } from '../wire/response-kind.ts';
import { wireId } from '../wire/wire-values.ts';
import { type OrderContent, readContent } from './order-content.ts';

/** The shop says that there is no such record. */
export type Gone = { readonly kind: 'gone' };
export type FoundUser = { readonly kind: 'found'; readonly userOid: string; readonly raw: JsonObject };

/** What the shop responded for one record, whatever it is. */
export type RecordResponse<Found> = {
  readonly kind: ResponseKind;
  /** Undefined where the response is no such record, or another one. */
  readonly found: Found | undefined;
};

type RecordRequest<Found> = {
  readonly route: 'content' | 'user';
  readonly path: string;
  /** The identifier that is asked for. */
  readonly key: string;
  readonly readShape: ReadShape<Found | Gone>;
};

/** GET /orders/ID */
export const contentOf = (orderId: string): RecordRequest<OrderContent> => ({
  route: 'content',
  path: `orders/${encodeURIComponent(orderId)}`,
  key: orderId,
  readShape: (value) => readContent(value, orderId),
});

/** GET /users/KEY. @param key the user's identifier, login or e-mail */
export const userOf = (key: string): RecordRequest<FoundUser> => ({
  route: 'user',
  path: `users/${encodeURIComponent(key)}`,
  key,
  readShape: readUser,
});

/** @throws TerminalError, TransientError; a content that names another order is rejected */
export async function getRecord<Found>(
  client: ApiClient,
  { route, path, readShape }: RecordRequest<Found>,
  signal?: AbortSignal,
): Promise<Found | Gone> {
  try {
    return await client.send({ route, path, method: 'GET', read: dataReader(readShape), signal });
  } catch (error) {
    if (error instanceof TerminalError && error.status === 404) return { kind: 'gone' };
    throw error;
  }
}

/**
 * The same request once: retried only where there was no response, or a pause was requested.
 *
 * @throws TerminalError, TransientError
 */
export async function getResponse<Found extends { readonly kind: 'found' }>(
  client: ApiClient,
  { route, path, key, readShape }: RecordRequest<Found>,
  signal?: AbortSignal,
): Promise<RecordResponse<Found>> {
  return client.send<RecordResponse<Found>>({
    route,
    path,
    method: 'GET',
    alsoReads: 'anything',
    read(answer) {
      const kind = classifyAnswer(answer, key);
      const isSuccess = answer.status >= 200 && answer.status <= 299;
      const shaped = isSuccess && answer.value !== undefined ? readShape(answer.value) : undefined;
      const read = shaped && 'value' in shaped ? shaped.value : undefined;
      const found = read?.kind === 'found' ? read : undefined;
      return { value: { kind, found }, shop: kind.control === 'none' ? 'working' : 'unknown' };
    },
    signal,
  });
}

function readUser(value: JsonValue): Shaped<FoundUser | Gone> {
  if (isJsonArray(value) && value.length === 0) return { value: { kind: 'gone' } };
  const userOid = isJsonObject(value) ? wireId(value['oid']) : undefined;
  return isJsonObject(value) && userOid !== undefined
    ? { value: { kind: 'found', userOid, raw: value } }
    : { mismatch: 'oid: must be an identifier' };
}
