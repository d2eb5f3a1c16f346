/** What kind of answer a shop gives: two answers of one kind differ in nothing but what was asked for. */
import { TransientError } from '../errors.ts';
import { isJsonArray, isJsonObject, isRawNumber, type JsonValue, numberText } from '../json.ts';
import { isHtml } from '../http/response.ts';
import type { Exchange } from '../http/transport.ts';
import type { ReadAnswer } from '../http/request.ts';
import { retryAfterMs } from '../http/retry-after.ts';
import { parseShallowJson } from '../http/shallow-json.ts';

export type AnswerKind = {
  /** Equal for answers of one kind: status and shape. Holds words of the shop, so it is never shown. */
  readonly shape: string;
  /**
   * What must be answered properly before this kind can be a word for "there is none", since an endpoint that fails for
   * everything answers so too: nothing, any list, or another record.
   */
  readonly control: 'none' | 'list' | 'record';
};

/** An answer whose body is read, if it can be. */
type Body = { readonly form: 'json'; readonly value: JsonValue } | { readonly form: 'html' | 'text' };

const MAX_DEPTH = 4;
const MAX_WORDS = 200;
/** What a shop says of logins and rights, and not of a record. */
const ABOUT_ACCESS =
  /\b(log ?in|auth\w*|credential\w*|api.?key|password|access|denied|forbidden|permission\w*|token|session)\b|авториз|доступ|запрещ|парол|логин|ключ/i;

/**
 * The kind of an answer about one record.
 *
 * @param asked the identifier that was asked for: naming it makes no other kind
 */
export function answerKind({ status, text }: Pick<Exchange, 'status' | 'text'>, asked: string): AnswerKind {
  const body = readBody(text);
  const shape =
    body.form === 'json' ? jsonShape(body.value, asked, 0) : `${body.form} ${wordsOf(body.form, text)}`;
  return { shape: `${status} ${shape}`, control: controlFor(status, body, shape) };
}

/**
 * Makes a reader of answers of whatever kind.
 *
 * @param readData reads the value of an answer with data; given undefined where the answer is not of success
 * @returns a reader that throws TransientError only where the shop asks for a pause
 */
export function readKind<Data>(
  asked: string,
  readData: (value: JsonValue | undefined) => Data,
): (exchange: Exchange, now: Temporal.Instant) => ReadAnswer<Data & { readonly kind: AnswerKind }> {
  return (exchange, now) => {
    refusePause(exchange, now);
    const kind = answerKind(exchange, asked);
    const isSuccess = exchange.status >= 200 && exchange.status <= 299 && exchange.undecodable === undefined;
    const body = isSuccess ? readBody(exchange.text) : undefined;
    const value = body?.form === 'json' && !hasMessage(body.value) ? body.value : undefined;
    const isRefused = exchange.status === 401 || exchange.status === 403;
    const isWell = kind.control === 'none';
    return { value: { ...readData(value), kind }, shop: isRefused ? 'refusing' : isWell ? 'well' : 'untold' };
  };
}

/** What the shop says of a record, by what it says of one that cannot exist. */
export type Presence = 'gone' | 'served' | 'unknown';

/**
 * @param impossible the answer for an identifier that cannot exist
 * @param lines of the content, in both: undefined for what is no content
 */
export function presenceBy(
  impossible: { readonly kind: AnswerKind; readonly lines: number | undefined },
  answer: { readonly kind: AnswerKind; readonly lines: number | undefined },
): Presence {
  // A shop that serves lines of what cannot exist serves those of what is gone.
  if ((impossible.lines ?? 0) > 0) return 'unknown';
  if (answer.kind.shape === impossible.kind.shape) return 'gone';
  return answer.lines === undefined ? 'unknown' : 'served';
}

function refusePause({ status, header }: Exchange, now: Temporal.Instant): void {
  const pause = retryAfterMs(header('retry-after'), now);
  if (status !== 429 && (status !== 503 || pause === undefined)) return;
  throw new TransientError(`the shop answered HTTP ${status}`, { retryAfterMs: pause });
}

function readBody(text: string): Body {
  if (isHtml(text)) return { form: 'html' };
  try {
    return { form: 'json', value: parseShallowJson(text) };
  } catch {
    return { form: 'text' };
  }
}

function hasMessage(value: JsonValue): boolean {
  return isJsonObject(value) && typeof value['message'] === 'string' && value['message'] !== '';
}

/** The words that tell one page from another: its title, or a text as it is. */
function wordsOf(form: 'html' | 'text', text: string): string {
  return words(form === 'html' ? (/<title[^>]*>([^<]*)/i.exec(text)?.[1] ?? '') : text);
}

/** A text without what differs from request to request: numbers, times, and identifiers of any form. */
function words(text: string): string {
  return text
    .slice(0, 10 * MAX_WORDS)
    .replace(/[\w:.+-]*\d[\w:.+-]*/g, '#')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase()
    .slice(0, MAX_WORDS);
}

/** @param asked the identifier that was asked for, where the value may be that */
function jsonShape(value: JsonValue, asked: string | undefined, depth: number): string {
  if (value === '0' || value === '1') return numberShape(value, asked);
  if (typeof value === 'string') return `"${words(value)}"`;
  if (typeof value === 'number' || isRawNumber(value)) return numberShape(numberText(value), asked);
  if (isJsonArray(value)) {
    if (value.length === 0) return '[]';
    return depth === MAX_DEPTH ? '[…]' : `[${jsonShape(value[0] ?? null, asked, depth + 1)}…]`;
  }
  if (!isJsonObject(value)) return String(value);
  if (depth === MAX_DEPTH) return '{…}';
  const parts = Object.entries(value).map(([key, part]) => {
    return `${words(key)}:${jsonShape(part, /id$/i.test(key) ? asked : undefined, depth + 1)}`;
  });
  return `{${parts.toSorted().join()}}`;
}

/** Zero and one are words, such as those of `success`; others are figures. */
function numberShape(text: string, asked: string | undefined): string {
  return text !== asked && (text === '0' || text === '1') ? text : '#';
}

function controlFor(status: number, body: Body, shape: string): AnswerKind['control'] {
  if ([401, 402, 403, 407, 451].includes(status) || status >= 500) return 'record';
  if (body.form === 'html') return 'list';
  if (ABOUT_ACCESS.test(shape)) return 'record';
  if (body.form !== 'json') return 'list';
  if (status === 404 || status === 410) return 'none';
  const { value } = body;
  const isOfContent =
    isJsonObject(value) && ['ordercontent', 'content', 'success'].some((key) => key in value);
  return status <= 299 && isOfContent && !hasMessage(value) ? 'none' : 'list';
}
