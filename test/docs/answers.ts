/** The questions in docs/questions.md, and their answers on the demo data between markers. */
import type { Client } from 'pg';

import { type Answer, askAs } from './as-reader.ts';
import { formatted, markdownTable } from './markdown.ts';

const QUESTION = /```sql\n(?<query>[^`]+)```\n\n<!-- answer -->\n(?<answer>[\s\S]*?)<!-- \/answer -->/g;
const SQL_BLOCK = /```sql\n(?<query>[^`]+)```/g;

/** The queries of a document that have answers in it. */
export function questionsOf(document: string): readonly string[] {
  return [...document.matchAll(QUESTION)].map((match) => match.groups?.['query'] ?? '');
}

/** All blocks of SQL in a document. */
export function sqlOf(document: string): readonly string[] {
  return [...document.matchAll(SQL_BLOCK)].map((match) => match.groups?.['query'] ?? '');
}

/** The document with what its questions answer now. */
export async function withAnswers(client: Client, document: string): Promise<string> {
  let answered = document;
  for (const query of questionsOf(document)) {
    const answer = await askAs(client, 'bi_reader', query);
    const begin = `\`\`\`sql\n${query}\`\`\`\n\n<!-- answer -->\n`;
    const [before, rest] = split(answered, begin);
    const [, after] = split(rest, '<!-- /answer -->');
    answered = `${before}${begin}\n${tableOf(answer)}\n\n<!-- /answer -->${after}`;
  }
  return formatted(answered);
}

function split(text: string, at: string): readonly [string, string] {
  const index = text.indexOf(at);
  if (index === -1) throw new Error(`the document lacks ${JSON.stringify(at)}`);
  return [text.slice(0, index), text.slice(index + at.length)];
}

function tableOf({ fields, rows }: Answer): string {
  const heading = fields.map(({ name }) => name.replaceAll('_', ' '));
  return markdownTable(
    heading,
    rows.map((row) => row.map((value) => value ?? '')),
  );
}
