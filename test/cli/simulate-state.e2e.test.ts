import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, test } from 'vitest';
import { z } from 'zod';

import { apiOf } from '../shop-api/api-of.ts';
import { startCommand, untilSaid } from '../support/command-line.ts';
import { runInProcess } from '../support/run-in-process.ts';

const settings = z.looseObject({ SHOP_URL: z.string() });

/** Asks a shop that a `simulate` with these options serves. */
async function atShop<Answer>(
  ask: (url: string) => Promise<Answer>,
  ...options: readonly string[]
): Promise<Answer> {
  const args = ['simulate', '--port', '0', '--orders', '40', '--json', ...options];
  const running = startCommand(args, {});
  try {
    const [line] = await untilSaid(running, 'stdout', /^.*\n/);
    const { SHOP_URL: url } = settings.parse(JSON.parse(line));
    return await ask(url);
  } finally {
    running.process.kill('SIGKILL');
    await running.outcome;
  }
}

test.concurrent('with a state file, a shop that was killed and started again has the same orders', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'order-sync-shop-'));
  const state = join(folder.path, 'began');
  const readShop = () => atShop(async (url) => (await fetch(`${url}/_sim/truth`)).text(), '--state', state);
  const first = await readShop();
  expect(first.trim().split('\n')).toHaveLength(40);
  expect(await readShop()).toBe(first);
});

test.concurrent('a named dialect overrides those of --weird', async () => {
  const total = (...options: readonly string[]) =>
    atShop(async (url) => (await apiOf({ url }).listOrders({ limit: 1 })).total, ...options);
  expect(await total('--weird', '--dialect', 'total=absent')).toBeUndefined();
  expect(await total('--weird', '--dialect', 'total=all')).toBe(40);
});

test.concurrent('a state file that cannot be used is named, and left as it is', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'order-sync-shop-'));
  const path = join(folder.path, 'notes.txt');
  await writeFile(path, 'milk, bread');
  const other = await runInProcess(['simulate', '--state', path], {});
  expect(other).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`--state ${path} does not contain a time`),
  });
  const nowhere = await runInProcess(['simulate', '--state', join(folder.path, 'none', 'began')], {});
  expect(nowhere).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('can be neither read nor created'),
  });
});
