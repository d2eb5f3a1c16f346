/** What the status and headers of a response say, whatever its body holds. */
import { counted } from '../../model/amount-text.ts';
import { isRefusedStatus, TerminalError, TransientError } from '../../model/errors.ts';
import { pauseText, readRetryAfter, type ResponseHead } from '../../http/request.ts';

/** What HTTP 404 means, without the status, and what to do about it. */
export type NotFound = readonly [what: string, advice: string];

/** Statuses by which shops say that a list has no rows. */
export const NO_ROWS: ReadonlySet<number> = new Set([204, 205, 400, 404]);

/** Whether a status may say that a list has no rows, in place of an empty list. */
export function saysNoRows({ status, headers }: ResponseHead): boolean {
  return NO_ROWS.has(status) && headers.get('retry-after') === null;
}

/** Statuses below 500 that are about the state of the shop and not about what was asked for. */
const SHOP_WIDE: ReadonlySet<number> = new Set([408, 425, 429]);

/**
 * @param successes answers before, by which it is known that the login is accepted
 * @returns TerminalError for 401, 403, 404; TransientError for all else but a success
 */
export function judgeStatus(
  { status, headers }: ResponseHead,
  now: Temporal.Instant,
  explainNotFound: () => NotFound,
  successes = 0,
): TerminalError | TransientError | undefined {
  if (status >= 200 && status <= 299) return undefined;
  if (isRefusalBefore({ status, headers })) {
    const what = isChallenge(headers)
      ? `${CHALLENGED} (HTTP 403)`
      : "the request was refused with an HTML page (HTTP 403), as a firewall or protection service in front of the shop does; have its rules let this machine's address through to /adm/api/, or, if there is none, check the login and API key";
    return new TerminalError(what, { status });
  }
  if (status === 403 && successes > 0) return new TerminalError(lateRefusal(successes), { status });
  if (isRefusedStatus(status)) {
    const what = `the shop does not accept the login and API key (HTTP ${status}); check both`;
    return new TerminalError(what, { status });
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

export const CHALLENGED =
  "a protection service in front of the shop asks for proof that this is no robot; have its rules let this machine's address through to /adm/api/";

/** Whether a protection service answered in place of the shop. */
export function isChallenge(headers: ResponseHead['headers']): boolean {
  return headers.get('cf-mitigated') !== null || headers.get('x-amzn-waf-action') !== null;
}

/** Whether a refusal is that of something in front of the shop: its API refuses in no HTML. */
function isRefusalBefore({ status, headers }: ResponseHead): boolean {
  return status === 403 && (isChallenge(headers) || /\bhtml\b/i.test(headers.get('content-type') ?? ''));
}

/** What is older says nothing of now. Answers take up to half a minute to arrive. */
const MAX_AGE_S = 60;

/** How old an answer is that a cache before the shop kept; undefined where it is of now. */
export function describeAge(headers: ResponseHead['headers']): string | undefined {
  const age = Number(/^\s*(\d{1,9})/.exec(headers.get('age') ?? '')?.[1] ?? 0);
  if (age <= MAX_AGE_S) return undefined;
  return `a cache before the shop answered with data that is ${Math.ceil(age / 60)} minutes old (Age: ${age}); nothing below /adm/api/ must be cached`;
}

/** A login that was accepted before is not the problem. */
function lateRefusal(successes: number): string {
  return (
    `the shop began to refuse requests (HTTP 403) after ${counted(successes, 'response')}; it may limit the number ` +
    'of requests, or the permissions of the login were changed'
  );
}
