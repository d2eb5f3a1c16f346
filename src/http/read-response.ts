import { ShapeError, TerminalError, TransientError } from '../errors.ts';
import { isJsonObject, type JsonValue } from '../json.ts';
import type { ReadShape, RoutePolicy } from './request.ts';
import type { HttpResponse } from './response.ts';
import { readRetryAfter } from './retry-after.ts';
import { parseShallowJson } from './shallow-json.ts';

/**
 * Reads the documented data from a response.
 *
 * @throws TerminalError for 401, 403, 404; ShapeError for a response of another shape; TransientError for all else
 */
export function readResponse<Value>(
  response: HttpResponse,
  readShape: ReadShape<Value>,
  now: Temporal.Instant,
  notFound: RoutePolicy['notFound'],
): Value {
  assertSuccess(response, now, notFound);
  const value = parseBody(response);
  if (isJsonObject(value) && typeof value['message'] === 'string' && value['message'] !== '') {
    // The text may name a person, so it is not repeated.
    throw new TransientError('the shop answered with an error message instead of data', { scope: 'record' });
  }
  const shaped = readShape(value);
  if ('value' in shaped) return shaped.value;
  throw new ShapeError(`the response is not of the documented shape (${shaped.mismatch})`);
}

/** Statuses below 500 that are about the state of the shop and not about what was asked for. */
const SHOP_WIDE: ReadonlySet<number> = new Set([408, 425, 429]);

function assertSuccess(
  { status, header }: HttpResponse,
  now: Temporal.Instant,
  [notFound, advice]: RoutePolicy['notFound'],
): void {
  if (status >= 200 && status <= 299) return;
  if (status === 401 || status === 403) {
    throw new TerminalError(
      `the shop does not accept the login and API key (HTTP ${status}); check SHOP_LOGIN and SHOP_API_KEY`,
      { status },
    );
  }
  if (status === 404) {
    throw new TerminalError(`${notFound} (HTTP 404); ${advice}`, { status });
  }
  const retryAfterMs = readRetryAfter(header('retry-after'), now);
  const request =
    retryAfterMs === undefined ? '' : ` and requested a pause of ${Math.ceil(retryAfterMs / 1000)} s`;
  const isAboutRecord = status < 500 && !SHOP_WIDE.has(status) && retryAfterMs === undefined;
  const scope = isAboutRecord ? 'record' : 'shop';
  throw new TransientError(`the shop answered HTTP ${status}${request}`, { retryAfterMs, scope });
}

function parseBody({ text, undecodable }: HttpResponse): JsonValue {
  if (isHtml(text)) {
    throw new TransientError(
      'the shop answered with an HTML page instead of JSON; if this persists, check SHOP_URL, SHOP_LOGIN and SHOP_API_KEY',
    );
  }
  if (undecodable !== undefined) throw new ShapeError(undecodable);
  try {
    return parseShallowJson(text);
  } catch {
    // The parser's message quotes the body, so it is not kept as the cause.
    throw new TransientError(
      text.trim() === ''
        ? 'the shop answered with an empty body'
        : 'the response is not JSON, or is truncated',
    );
  }
}

export function isHtml(text: string): boolean {
  return /^\uFEFF?\s*</.test(text);
}
