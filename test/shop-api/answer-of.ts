import { type Answer, readAnswer } from '../../src/shop-api/wire/read-answer.ts';

/** What is read of a response without headers. */
export const answerOf = (status: number, text: string): Answer =>
  readAnswer({ status, headers: new Headers(), text, undecodable: undefined });
