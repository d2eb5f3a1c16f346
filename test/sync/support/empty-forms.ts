/** How shops say that a list has no rows, beside an empty list. */
import { type Answer, answerJson } from '../../support/in-process-shop.ts';

export type EmptyForm = { readonly name: string; readonly status: number; readonly body: string };

const ok = (body: string): EmptyForm => ({ name: `200 ${body}`, status: 200, body });

export const PLAIN_EMPTY = ok('[]');

export const EMPTY_FORMS: readonly EmptyForm[] = [
  ok('{"orders":null,"total":0}'),
  { name: '404', status: 404, body: '' },
  ok('{"orders":false}'),
  { name: '204', status: 204, body: '' },
  ok('{"orders":""}'),
  { name: '400 with a message', status: 400, body: '{"message":"no orders of Ivanov"}' },
  ok('{"total":0}'),
  ok(''),
  ok('{}'),
  { name: '404 with a message', status: 404, body: '{"message":"no orders of Ivanov"}' },
  ok('null'),
  { name: '404 with a page', status: 404, body: '<html><title>Ivanov</title></html>' },
  ok('false'),
  ok('{"message":"no orders of Ivanov"}'),
  ok('""'),
  ok('{"orders":{}}'),
  ok('{"orders":0,"total":"0"}'),
  ok('"no orders of Ivanov"'),
  ok('{"error":{"text":"no orders of Ivanov"}}'),
  { name: '205', status: 205, body: '' },
  ok(' \n'),
];

/** Answers in this form where the list holds no orders. */
export function emptyAs({ status, body }: EmptyForm): (path: string, answer: Answer) => void {
  return (path, answer) => {
    if (!path.startsWith('orders?')) return;
    const given = JSON.parse(answer.body.toString()) as { readonly orders?: object };
    if (Object.keys(given.orders ?? {}).length === 0) answerJson(answer, body, status);
  };
}
