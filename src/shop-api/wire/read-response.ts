/** What the shop's responses mean. */
import { ShapeError, TerminalError, TransientError } from '../../model/errors.ts';
import {
  type HttpResponse,
  isRefusal,
  pauseText,
  type ReadResponse,
  readRetryAfter,
  type ResponseHead,
} from '../../http/request.ts';
import { isJsonObject, type JsonValue } from '../../model/json.ts';
import { PHP_MESSAGE, readDocument, type ReadDocument } from './read-document.ts';

/** A value in its documented shape, or where it differs: `orders: must be a list`. */
export type Shaped<Value> = { readonly value: Value } | { readonly mismatch: string };
export type ReadShape<Value> = (value: JsonValue) => Shaped<Value>;
/** What HTTP 404 means, without the status, and what to do about it. */
export type NotFound = readonly [what: string, advice: string];

/**
 * Reads the documented data from a response of success.
 *
 * @param onBeside called with what stands beside the data, by its kind and length
 * @throws ShapeError for a response of another shape; TransientError for what is no data at all
 */
export function readResponse<Value>(
  response: HttpResponse,
  readShape: ReadShape<Value>,
  onBeside: (beside: string) => void = () => undefined,
): Value {
  const { value, beside } = parseBody(response);
  if (beside !== undefined) onBeside(beside);
  const shaped = readShape(value);
  if ('value' in shaped) return shaped.value;
  if (hasMessage(value)) {
    // The text may name a person, so it is not repeated.
    throw new TransientError('the shop answered with an error message instead of data', { scope: 'record' });
  }
  throw new ShapeError(`the response is not of the documented shape (${shaped.mismatch})`);
}

/** Statuses by which shops say that a list has no rows. */
const NO_ROWS: ReadonlySet<number> = new Set([204, 205, 400, 404]);

/** Whether a status may say that a list has no rows, in place of an empty list. */
export function saysNoRows({ status, headers }: ResponseHead): boolean {
  return NO_ROWS.has(status) && headers.get('retry-after') === null;
}

const EMPTY_BODY = 'an empty body';

/**
 * Makes a reader of a list. An answer without rows is one answer, whatever its form, and no sign that the shop works.
 *
 * @param none the list without rows, of which `emptyForm` says how the shop put it
 * @param forms those that mean it @default all
 */
export function createListReader<List extends { readonly emptyForm?: string }>(
  readShape: ReadShape<List>,
  none: (emptyForm: string) => List,
  forms?: ReadonlySet<string>,
): (
  response: HttpResponse,
  now: Temporal.Instant,
  onBeside?: (beside: string) => void,
) => ReadResponse<List> {
  return (response, _now, onBeside) => {
    const { status, text } = response;
    const bare = NO_ROWS.has(status) ? `HTTP ${status}` : text.trim() === '' ? EMPTY_BODY : undefined;
    const value = bare === undefined ? readResponse(response, readShape, onBeside) : none(bare);
    const { emptyForm } = value;
    if (emptyForm === undefined) return { value, shop: 'working' };
    if (forms === undefined || forms.has(emptyForm)) return { value, shop: 'unknown' };
    const scope = emptyForm === EMPTY_BODY ? 'shop' : 'record';
    throw new TransientError(`the shop answered with ${emptyForm} instead of data`, { scope, status });
  };
}

/** How a value that stands where a list should says that there is none; undefined where it is something else. */
export function emptyFormOf(value: JsonValue | undefined): string | undefined {
  if (value === undefined) return 'nothing';
  if (value === null || value === false || value === 0) return String(value);
  // The text may name a person, so it is not repeated.
  return typeof value === 'string' ? 'a text' : undefined;
}

/** Whether there is a text for people. Beside what was asked for it says nothing: many a shop adds "OK" to its data. */
export function hasMessage(value: JsonValue): boolean {
  return isJsonObject(value) && typeof value['message'] === 'string' && value['message'] !== '';
}

/** Statuses below 500 that are about the state of the shop and not about what was asked for. */
const SHOP_WIDE: ReadonlySet<number> = new Set([408, 425, 429]);

/** @returns TerminalError for 401, 403, 404; TransientError for all else but a success */
export function judgeStatus(
  { status, headers }: ResponseHead,
  now: Temporal.Instant,
  explainNotFound: () => NotFound,
): TerminalError | TransientError | undefined {
  if (status >= 200 && status <= 299) return undefined;
  if (isRefusalBefore({ status, headers })) {
    const what = isChallenge(headers)
      ? `${CHALLENGED} (HTTP 403)`
      : "the request was refused with an HTML page (HTTP 403), as a firewall or protection service in front of the shop does; have its rules let this machine's address through to /adm/api/, or, if there is none, check SHOP_LOGIN and SHOP_API_KEY";
    return new TerminalError(what, { status });
  }
  if (isRefusal(status)) {
    return new TerminalError(
      `the shop does not accept the login and API key (HTTP ${status}); check SHOP_LOGIN and SHOP_API_KEY`,
      { status },
    );
  }
  if (status === 404) {
    const [what, advice] = explainNotFound();
    return new TerminalError(`${what} (HTTP 404); ${advice}`, { status });
  }
  const retryAfterMs = readRetryAfter(headers.get('retry-after'), now);
  const request = retryAfterMs === undefined ? '' : ` and requested a pause of ${pauseText(retryAfterMs)}`;
  const isAboutRecord = status < 500 && !SHOP_WIDE.has(status) && retryAfterMs === undefined;
  const scope = isAboutRecord ? 'record' : 'shop';
  const why = isChallenge(headers) ? `: ${CHALLENGED}` : '';
  return new TransientError(`the shop answered HTTP ${status}${request}${why}`, {
    retryAfterMs,
    scope,
    status,
  });
}

function parseBody({ text, headers, undecodable }: HttpResponse): ReadDocument {
  if (undecodable !== undefined && !isHtml(text)) throw new ShapeError(undecodable);
  try {
    return readDocument(text);
  } catch {
    // The parser's message quotes the body, so it is not kept as the cause.
    throw new TransientError(isChallenge(headers) ? CHALLENGED : explainBody(text));
  }
}

/** What a body without data is, and what to do about it. */
function explainBody(text: string): string {
  if (text.trim() === '') return 'the shop answered with an empty body';
  if (PHP_MESSAGE.test(text.slice(0, 10_000))) {
    return "the shop's program answered with an error or warning of PHP and without whole data; whoever runs the shop finds the cause in the error log of PHP";
  }
  return isHtml(text)
    ? 'the shop answered with an HTML page instead of JSON; if this persists, check SHOP_URL, SHOP_LOGIN and SHOP_API_KEY'
    : 'the response is not JSON, or is truncated';
}

const CHALLENGED =
  "a protection service in front of the shop asks for proof that this is no robot; have its rules let this machine's address through to /adm/api/";

/** Whether a protection service answered in place of the shop. */
function isChallenge(headers: ResponseHead['headers']): boolean {
  return headers.get('cf-mitigated') !== null || headers.get('x-amzn-waf-action') !== null;
}

/** Whether a refusal is that of something in front of the shop: its API refuses in no HTML. */
export function isRefusalBefore({ status, headers }: ResponseHead): boolean {
  return status === 403 && (isChallenge(headers) || /\bhtml\b/i.test(headers.get('content-type') ?? ''));
}

export function isHtml(text: string): boolean {
  return /^\uFEFF?\s*</.test(text);
}

/** What is older says nothing of now. Answers take up to half a minute to arrive. */
const MAX_AGE_S = 60;

/** How old an answer is that a cache before the shop kept; undefined where it is of now. */
export function describeAge(headers: ResponseHead['headers']): string | undefined {
  const age = Number(/^\s*(\d{1,9})/.exec(headers.get('age') ?? '')?.[1] ?? 0);
  if (age <= MAX_AGE_S) return undefined;
  return `a cache before the shop answered with what is ${Math.ceil(age / 60)} minutes old (Age: ${age}); it must not keep what is below /adm/api/`;
}

/** A login that was accepted before is not the problem. @param successes so far */
export function explainLateRefusal<Failure>(error: Failure, successes: number): Failure | TerminalError {
  if (!(error instanceof TerminalError) || error.status !== 403 || successes === 0) return error;
  const count = successes === 1 ? '1 response' : `${successes} responses`;
  return new TerminalError(
    `the shop began to refuse requests (HTTP 403) after ${count}; it may limit the number of requests, or the ` +
      'permissions of the login were changed',
    error,
  );
}
