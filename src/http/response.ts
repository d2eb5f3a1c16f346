import { TerminalError, TransientError } from '../errors.ts';
import { isJsonObject, type JsonValue } from '../json.ts';
import type { Exchange } from './transport.ts';
import { retryAfterMs } from './retry-after.ts';
import { parseShallowJson } from './shallow-json.ts';
import { ShapeError } from './shape-error.ts';
import type { ReadShape } from '../shop-api/wire-schemas.ts';

/**
 * Turns a finished exchange into the documented answer.
 *
 * @throws TerminalError for 401, 403, 404; ShapeError for an answer of another shape; TransientError for all else
 */
export function readAnswer<Answer>(
  exchange: Exchange,
  readShape: ReadShape<Answer>,
  now: Temporal.Instant,
): Answer {
  refuseStatus(exchange, now);
  const value = parseBody(exchange);
  if (isJsonObject(value) && typeof value['message'] === 'string' && value['message'] !== '') {
    // The text may name a person, so it is not repeated.
    throw new TransientError('the shop answered with an error message instead of data', { scope: 'record' });
  }
  const shaped = readShape(value);
  if ('value' in shaped) return shaped.value;
  throw new ShapeError(`the answer is not of the documented shape (${shaped.mismatch})`);
}

/** Of the statuses below 500, those that speak of the shop's state and not of what was asked for. */
const SHOP_WIDE: ReadonlySet<number> = new Set([408, 425, 429]);

function refuseStatus({ status, header }: Exchange, now: Temporal.Instant): void {
  if (status >= 200 && status <= 299) return;
  if (status === 401 || status === 403) {
    throw new TerminalError(
      `the shop does not accept the login and API key (HTTP ${status}); check SHOP_LOGIN and SHOP_API_KEY`,
      { status },
    );
  }
  if (status === 404) {
    throw new TerminalError('the shop knows no such address or record (HTTP 404); check SHOP_URL', {
      status,
    });
  }
  const pause = retryAfterMs(header('retry-after'), now);
  const comeBack = pause === undefined ? '' : `, and asks to come back in ${Math.ceil(pause / 1000)} s`;
  const isOfRecord = status < 500 && !SHOP_WIDE.has(status) && pause === undefined;
  const scope = isOfRecord ? 'record' : 'shop';
  throw new TransientError(`the shop answered HTTP ${status}${comeBack}`, { retryAfterMs: pause, scope });
}

function parseBody({ text, undecodable }: Exchange): JsonValue {
  if (isHtml(text)) {
    throw new TransientError(
      'the shop answered with an HTML page instead of JSON; if this stays so, check SHOP_URL, SHOP_LOGIN and SHOP_API_KEY',
    );
  }
  if (undecodable !== undefined) throw new ShapeError(undecodable);
  try {
    return parseShallowJson(text);
  } catch {
    // The parser's message quotes the body, so it is not kept as the cause.
    throw new TransientError(
      text.trim() === '' ? 'the shop answered with an empty body' : 'the answer is not JSON, or was cut off',
    );
  }
}

export function isHtml(text: string): boolean {
  return /^\uFEFF?\s*</.test(text);
}
