/** Kinds of response: two responses of one kind differ in nothing but what was asked for. */
import { TransientError } from '../../model/errors.ts';
import { isJsonObject, isRawNumber, type JsonValue, numberText } from '../../model/json.ts';
import { readRetryAfter, type ResponseHead } from '../../http/request.ts';
import { type Answer, hasMessage } from './read-answer.ts';

export type ResponseKind = {
  /** Equal for responses of one kind: status and shape. Contains text of the shop, so it is never shown. */
  readonly shape: string;
  /**
   * What must be served first before this kind can mean "there is no such record", since an endpoint that fails for
   * everything responds like that too: nothing, any list, or another record.
   */
  readonly control: 'none' | 'list' | 'record';
};

const MAX_WORDS = 200;
/** Words about logins and permissions rather than about a record. */
const ABOUT_ACCESS =
  /\b(log ?in|auth\w*|credential\w*|api.?key|password|access|denied|forbidden|permission\w*|token|session)\b|авториз|доступ|запрещ|парол|логин|ключ/i;

/**
 * The kind of a response about one record.
 *
 * @param asked the identifier that was asked for: mentioning it makes no difference
 */
export function classifyAnswer(answer: Answer, asked: string): ResponseKind {
  const { form, status, text, value } = answer;
  const shape = value === undefined ? `${form} ${readWords(form, text)}` : jsonShape(value, asked);
  return { shape: `${status} ${shape}`, control: controlFor(answer, shape) };
}

/** Whatever is answered is read, unless the shop requests a pause. */
export function judgePause(
  { status, headers }: ResponseHead,
  now: Temporal.Instant,
): TransientError | undefined {
  const retryAfterMs = readRetryAfter(headers.get('retry-after'), now);
  const isPause = status === 429 || (status === 503 && retryAfterMs !== undefined);
  return isPause ? new TransientError(`the shop answered HTTP ${status}`, { retryAfterMs }) : undefined;
}

/** The words that distinguish one page from another: its title, or a text as it is. */
function readWords(form: Answer['form'], text: string): string {
  return words(form === 'html' ? (/<title[^>]*>([^<]*)/i.exec(text)?.[1] ?? '') : text);
}

/** A text without what varies from request to request: numbers, times, and identifiers of any form. */
function words(text: string): string {
  return text
    .slice(0, 10 * MAX_WORDS)
    .replace(/[\w:.+-]*\d[\w:.+-]*/g, '#')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase()
    .slice(0, MAX_WORDS);
}

/** A document with its texts without what varies. Zero and one carry meaning, as in `success`; other numbers are all alike. */
function jsonShape(document: JsonValue, asked: string): string {
  return JSON.stringify(document, (key, value: JsonValue) => {
    const text = typeof value === 'number' || isRawNumber(value) ? numberText(value) : value;
    if (typeof text !== 'string') return value;
    const isRequestedId = text === asked && /id$/i.test(key);
    return (text === '0' || text === '1') && !isRequestedId ? text : words(text);
  });
}

function controlFor({ form, status, value }: Answer, shape: string): ResponseKind['control'] {
  if ([401, 402, 403, 407, 451].includes(status) || status >= 500) return 'record';
  if (form === 'html') return 'list';
  if (ABOUT_ACCESS.test(shape)) return 'record';
  if (value === undefined) return 'list';
  if (status === 404 || status === 410) return 'none';
  const isOfContent =
    isJsonObject(value) && ['ordercontent', 'content', 'success'].some((key) => key in value);
  return status <= 299 && isOfContent && !hasMessage(value) ? 'none' : 'list';
}
