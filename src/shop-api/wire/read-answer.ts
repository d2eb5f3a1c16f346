/** What the body of a response is: the one reader of all answers. */
import { ShapeError, TransientError } from '../../model/errors.ts';
import type { HttpResponse, ReadResponse } from '../../http/request.ts';
import { isJsonObject, type JsonValue } from '../../model/json.ts';
import { CHALLENGED, isChallenge, NO_ROWS } from './judge-status.ts';
import { PHP_MESSAGE, readDocument } from './read-document.ts';

/** A response, read as far as that is possible without knowing what was asked for. */
export type Answer = {
  readonly status: number;
  readonly text: string;
  readonly form: 'json' | 'html' | 'empty' | 'text';
  /** The document; undefined where there is none, of which `fault` says why. */
  readonly value: JsonValue | undefined;
  readonly fault: TransientError | ShapeError | undefined;
  /** What stands beside the document, by its kind and length, never by its words. */
  readonly beside: string | undefined;
};

/** A value in its documented shape, or where it differs: `orders: must be a list`. */
export type Shaped<Value> = { readonly value: Value } | { readonly mismatch: string };
export type ReadShape<Value> = (value: JsonValue) => Shaped<Value>;

export function readAnswer({ status, headers, text, undecodable }: HttpResponse): Answer {
  const isHtml = /^\uFEFF?\s*</.test(text);
  const none = { status, text, value: undefined, beside: undefined };
  if (text.trim() === '')
    return { ...none, form: 'empty', fault: new TransientError('the shop answered with an empty body') };
  if (undecodable !== undefined && !isHtml)
    return { ...none, form: 'text', fault: new ShapeError(undecodable) };
  try {
    return { status, text, form: 'json', ...readDocument(text), fault: undefined };
  } catch {
    // The parser's message quotes the body, so it is not kept as the cause.
    const fault = new TransientError(isChallenge(headers) ? CHALLENGED : explainBody(text, isHtml));
    return { ...none, form: isHtml ? 'html' : 'text', fault };
  }
}

/** What a body without data is, and what to do about it. */
function explainBody(text: string, isHtml: boolean): string {
  if (PHP_MESSAGE.test(text.slice(0, 10_000))) {
    return "the shop's program answered with an error or warning of PHP and without whole data; whoever runs the shop finds the cause in the error log of PHP";
  }
  return isHtml
    ? 'the shop answered with an HTML page instead of JSON; if this persists, check its address, login and API key'
    : 'the response is not JSON, or is truncated';
}

/** Makes a reader of the documented data. */
export function dataReader<Value>(readShape: ReadShape<Value>): (answer: Answer) => ReadResponse<Value> {
  return (answer) => ({ value: readData(answer, readShape), shop: 'working' });
}

function readData<Value>({ value, fault }: Answer, readShape: ReadShape<Value>): Value {
  if (value === undefined) throw fault ?? new TransientError('the shop answered with nothing');
  const shaped = readShape(value);
  if ('value' in shaped) return shaped.value;
  if (hasMessage(value)) {
    // The text may name a person, so it is not repeated.
    throw new TransientError('the shop answered with an error message instead of data', { scope: 'record' });
  }
  throw new ShapeError(`the response is not of the documented shape (${shaped.mismatch})`);
}

/**
 * Makes a reader of a list. An answer without rows is one answer, whatever its form, and no sign that the shop works.
 *
 * @param none the list without rows, of which `emptyForm` says how the shop put it
 */
export function listReader<List extends { readonly emptyForm?: string }>(
  readShape: ReadShape<List>,
  none: (emptyForm: string) => List,
): (answer: Answer) => ReadResponse<List> {
  return (answer) => {
    const { status, form } = answer;
    const bare = NO_ROWS.has(status) ? `HTTP ${status}` : form === 'empty' ? 'an empty body' : undefined;
    const value = bare === undefined ? readData(answer, readShape) : none(bare);
    return { value, shop: value.emptyForm === undefined ? 'working' : 'unknown' };
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
