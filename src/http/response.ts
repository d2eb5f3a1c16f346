import { ShapeError, TerminalError, TransientError, UnavailableError } from '../errors.ts';
import type { PoolResponse } from './connection-pool.ts';
import type { HttpRequest, Reading } from './request.ts';
import type { Received } from './transport.ts';

/** Statuses whose responses have no body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** A response that is in memory, with what was read from it. */
export class Answer<Value> extends Response {
  readonly request: HttpRequest<string, Value>;
  readonly reading: Reading<Value>;

  constructor(
    request: HttpRequest<string, Value>,
    { status, headers, bytes }: PoolResponse,
    reading: Reading<Value>,
  ) {
    super(BODILESS.has(status) ? null : bytes, { status, headers: toRecord(headers) });
    this.request = request;
    this.reading = reading;
  }

  /** @throws why nothing could be read */
  get value(): Value {
    if (this.reading.error !== undefined) throw this.reading.error;
    return this.reading.value;
  }

  /** Nobody reads its body as a stream, so there is nothing to divide. */
  override clone(): this {
    return this;
  }
}

function toRecord(headers: PoolResponse['headers']): Record<string, string> {
  const record: Record<string, string> = {};
  for (const [name, value = ''] of Object.entries(headers)) {
    record[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return record;
}

/** The answer to a request, as it came through ky. */
export function answerTo<Value>(request: HttpRequest<string, Value>, response: Response): Answer<Value> {
  if (response instanceof Answer && response.request === request) return response;
  throw new TypeError('a response that was not fetched for this request');
}

/** Reads a response as the request says. */
export function readAnswer<Value>(request: HttpRequest<string, Value>, received: Received): Answer<Value> {
  const read = (): Reading<Value> => {
    try {
      return request.read(received, Temporal.Now.instant());
    } catch (error) {
      if (error instanceof TransientError || error instanceof TerminalError) return { error };
      throw error;
    }
  };
  return new Answer(request, received, read());
}

/** Whether the status says that the login, or what it asked for, is not permitted. */
export function isRefusal(status: number | undefined): boolean {
  return status === 401 || status === 403;
}

/**
 * Reads a Retry-After header, either form of RFC 9110 section 10.2.3: seconds, or an HTTP date.
 *
 * @returns milliseconds from `now`, never negative; undefined where the header is absent or unreadable
 */
export function readRetryAfter(header: string | null, now: Temporal.Instant): number | undefined {
  if (header === null) return undefined;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  if (!/^[A-Za-z]{3,9},? /.test(text)) return undefined;
  // The obsolete form without a zone is in UTC too.
  const at = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.epochMilliseconds);
}

/** The same error, its message preceded by what was requested. @param what such as `GET /orders` */
export function nameError(error: unknown, what: string): unknown {
  for (const Kind of [UnavailableError, ShapeError, TerminalError, TransientError]) {
    if (error instanceof Kind) return new Kind(`${what}: ${error.message}`, error);
  }
  return error;
}
