/**
 * Runs what README and docs tell people to run, page by page in one folder, as a reader would: on a simulated shop and a
 * PostgreSQL of its own, which is uninstalled in the end as documented.
 */
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { ENDLESS, OWN_CODE, PERSON, RULES, substitutions } from './command-rules.ts';
import { type Documented, documentedIn, readPages, roleOf } from './documented-commands.ts';
import { openWorld, type World } from './documented-world.ts';
import { inRepository } from './markdown.ts';
import { testTimeoutMs } from '../support/patience.ts';
import { isRunElsewhere, RUN_ELSEWHERE } from './run-elsewhere.ts';
import { IS_LONG } from '../support/long.ts';

/** These make what others need; the last one takes everything away. */
const FIRST = ['README.md', 'docs/deployment.md', 'docs/bi.md'];
const LAST = 'docs/troubleshooting.md';
const WHAT_TO_DO =
  'make it work here (test/docs/command-rules.ts), or name the test that runs it in test/docs/run-elsewhere.ts';
const OPTIONAL_TOOLS = ['psql', 'openssl', 'jq'];
/** A page has up to thirty commands, and each is waited for by itself. */
const PAGE_WITHIN_MS = 10 * testTimeoutMs();

const pages = await readPages();
const order = [...FIRST, ...[...pages.keys()].filter((page) => page !== LAST && !FIRST.includes(page)), LAST];
const documented = order.flatMap((page) => documentedIn(page, pages.get(page) ?? ''));
/** What several pages mention is run once. */
const toRun = documented.filter(
  ({ text, isMentioned }, at) =>
    !isRunElsewhere(text) && !(isMentioned && documented.slice(0, at).some((other) => other.text === text)),
);
const absent = (
  await Promise.all(OPTIONAL_TOOLS.map(async (tool) => ((await isOnPath(tool)) ? [] : [tool])))
).flat();
let world: World;
let failedPage: string | undefined;

beforeAll(async () => {
  world = await openWorld();
  const { shop } = world.simulator;
  const [first, second] = shop.orders();
  shop.editOrder(first?.orderId ?? 0, { email: PERSON });
  shop.editOrder(second?.orderId ?? 0, { status: OWN_CODE });
  await world.client.query('CREATE SCHEMA mine; CREATE TABLE mine.things AS SELECT 1 AS thing');
});
afterAll(() => world[Symbol.asyncDispose]());

test('what is said to be run elsewhere is in the documentation, by a test that is there', async () => {
  expect(documented.length - toRun.length).toBeGreaterThan(30);
  for (const [by, commands] of Object.entries(RUN_ELSEWHERE)) {
    await access(inRepository(by));
    const unknown = commands.filter((command) => !documented.some((each) => each.text.startsWith(command)));
    expect({ by, unknown }).toEqual({ by, unknown: [] });
  }
  const rules = RULES.filter(({ of }) => !toRun.some(({ text }) => matches(text, of)));
  expect(rules.map(({ of }) => String(of))).toEqual([]);
});

/** All else takes ten times as long as what a newcomer runs first. */
const everyday = toRun.filter(({ page, isMentioned }) => page === 'README.md' && !isMentioned);
const runNow = IS_LONG ? toRun : everyday;
const pagesToRun = order.filter((page) => runNow.some((each) => each.page === page));

test.for(pagesToRun)('%s', { timeout: PAGE_WITHIN_MS }, async (page, context) => {
  if (failedPage !== undefined) context.skip(`it needs what ${failedPage} has left`);
  if (absent.length > 0 && page !== 'README.md') context.skip(`this machine lacks ${absent.join(', ')}`);
  failedPage = page;
  for (const each of runNow.filter((other) => other.page === page)) {
    await (each.isSql ? expectToAnswer(each) : expectToRun(each));
  }
  failedPage = undefined;
});

async function expectToRun({ page, text }: Documented): Promise<void> {
  const rules = RULES.filter(({ of }) => matches(text, of));
  for (const { before } of rules) await before?.(world);
  // The README has not spoken of a database yet.
  const env = page === 'README.md' ? {} : { DATABASE_URL: world.databaseUrl };
  const until = ENDLESS.find(([pattern]) => pattern.test(text))?.[1];
  const { code, stdout, stderr } = await world.run(substituted(text), { ...env, PORT: '0' }, until);
  expect(code, `${page}: ${text}\n${stdout}${stderr}\n${WHAT_TO_DO}`).toBe(0);
  for (const { prints = /^/ } of rules) expect(stdout + stderr, `${page}: ${text}`).toMatch(prints);
  for (const { after } of rules) await after?.(world);
}

async function expectToAnswer({ page, text, role }: Documented): Promise<void> {
  const reader = roleOf({ text, role });
  const isOnlyReading = reader?.startsWith('bi') === true;
  await world.client.query(reader === undefined ? 'RESET ROLE' : `SET ROLE ${reader}`);
  await world.client.query(`SET default_transaction_read_only = ${isOnlyReading ? 'on' : 'off'}`);
  try {
    const results = [await world.client.query(substituted(text))].flat();
    const idle = results.filter(({ command, rowCount }) => /INSERT|UPDATE/.test(command) && rowCount === 0);
    // A recipe of several statements may find nothing to do.
    if (results.length === 1) expect(idle, `${page}: changes nothing: ${text}`).toEqual([]);
  } catch (cause) {
    throw new Error(`${page}, as ${reader ?? 'the owner'}: ${text}\n${WHAT_TO_DO}`, { cause });
  } finally {
    await world.client.query('ROLLBACK');
    await world.client.query('RESET ROLE; RESET default_transaction_read_only; DISCARD TEMP');
  }
}

function substituted(text: string): string {
  return substitutions(world).reduce((so, [from, to]) => so.replace(from, to), text);
}

function matches(text: string, part: string | RegExp): boolean {
  return typeof part === 'string' ? text.includes(part) : part.test(text);
}

async function isOnPath(tool: string): Promise<boolean> {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const found = await Promise.allSettled(folders.map((folder) => access(join(folder, tool))));
  return found.some(({ status }) => status === 'fulfilled');
}
