/** What the table of settings says is what readers of the page and of the example find. */
import { readFile } from 'node:fs/promises';

import { expect, test } from 'vitest';

import { EXIT_MEANINGS } from '../../src/cli/output/io.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { code, formatted, inRepository, markdownTable } from './markdown.ts';

const STALE = 'stale: npm run docs:dictionary';

/** The text with other lines between two that stay. */
async function withLines(path: string, from: RegExp, to: RegExp, lines: string): Promise<string> {
  const text = await readFile(inRepository(path), 'utf8');
  const start = text.search(from) + (from.exec(text)?.[0].length ?? 0);
  const end = start + text.slice(start).search(to);
  expect(end, `${path} has these lines`).toBeGreaterThan(start);
  return text.slice(0, start) + lines + text.slice(end);
}

/** Without a default and required: what a shop is read with. */
const REQUIRED = ['SHOP_URL', 'SHOP_LOGIN', 'SHOP_API_KEY', 'SHOP_TIMEZONE'];

test('generated: the table of docs/settings.md says what the table of settings says', async () => {
  const rows = SETTINGS.map(({ env, meaning, default: text = '' }) => [
    code(env),
    meaning,
    REQUIRED.includes(env) ? 'required' : text && code(text),
  ]);
  const table = markdownTable(['name', 'meaning', 'default'], rows);
  const page = await withLines('docs/settings.md', /name environment variables\.\n\n/, /\n\n/, table);
  await expect(await formatted(page), STALE).toMatchFileSnapshot(inRepository('docs/settings.md'));
});

test('generated: docs/commands.md has the exit codes of the help', async () => {
  const table = markdownTable(
    ['exit code', 'meaning'],
    Object.entries(EXIT_MEANINGS).map(([exit, meaning]) => [code(exit), meaning]),
  );
  const page = await withLines('docs/commands.md', /## Exit codes\n\n/, /\n\n/, table);
  await expect(await formatted(page), STALE).toMatchFileSnapshot(inRepository('docs/commands.md'));
});

/** What compose sets itself. */
const FIXED = ['DATABASE_URL', 'DATABASE_PASSWORD', 'SHOP_API_KEY'];

test('generated: .env.example has a line for every setting, with its default', async () => {
  const [from, to] = [/^# More settings, .*\n/m, /^# To reach the shop through a proxy/m];
  const others = await withLines('.env.example', from, to, '');
  const isOwn = ({ env }: { env: string }) => !FIXED.includes(env) && !others.includes(`\n${env}=`);
  const lines = SETTINGS.filter(isOwn).flatMap(({ env, meaning, default: text = '' }) => [
    `# ${meaning}`,
    `#${env}=${text}`,
  ]);
  const example = await withLines('.env.example', from, to, `${lines.join('\n')}\n`);
  await expect(example, STALE).toMatchFileSnapshot(inRepository('.env.example'));
});
