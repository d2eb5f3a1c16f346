import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { format } from 'oxfmt';

const ROOT = join(import.meta.dirname, '..', '..');

/** A path of the repository, such as `docs/bi.md`, wherever the tests are run from. */
export const inRepository = (path: string) => join(ROOT, path);

/**
 * A text as `npm run format` leaves it, so that generated documents pass the same check as written ones.
 *
 * @param name of its file: the ending says what it is
 */
export async function formatted(text: string, name = 'document.md'): Promise<string> {
  const { printWidth, singleQuote } = JSON.parse(await readFile(inRepository('.oxfmtrc.json'), 'utf8'));
  const { code, errors } = await format(name, text, { printWidth, singleQuote });
  if (errors.length > 0) throw new Error(`${name} cannot be formatted: ${errors[0]?.message}`);
  return code;
}

/** A table; columns of which every value is a number are set to the right. */
export function markdownTable(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const isNumeric = heading.map((_, at) => rows.every((row) => /^(-?[\d.]+)?$/.test(row[at] ?? '')));
  const line = (cells: readonly string[]) => `| ${cells.map(escaped).join(' | ')} |`;
  const rule = `| ${isNumeric.map((isRight) => (isRight ? '---:' : '---')).join(' | ')} |`;
  return [line(heading), rule, ...rows.map(line)].join('\n');
}

const escaped = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
export const code = (text: string) => `\`${text}\``;
export const codes = (texts: readonly string[]) => texts.map(code).join(', ');
export const sqlBlock = (sql: string) => `\`\`\`sql\n${sql.trim()}\n\`\`\``;
