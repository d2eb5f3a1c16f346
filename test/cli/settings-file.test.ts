import { mkdir, mkdtempDisposable, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import type { CliContext } from '../../src/cli/output/io.ts';
import { assertWritable, findConfigFile, withConfig, writeConfigFile } from '../../src/cli/settings-file.ts';
import { cliContext } from '../support/cli-context.ts';
import { runInProcess } from '../support/run-in-process.ts';

const openFolder = async () => mkdtempDisposable(join(tmpdir(), 'order-sync-file-'));

const contextOf = (directory: string, env: CliContext['env'] = {}) => cliContext({ directory, env });

test('a broken line of the settings file is reported without its content', async () => {
  await using folder = await openFolder();
  const path = join(folder.path, 'shop.env');
  await writeFile(path, "SHOP_API_KEY='canary'\nSHOP_URL http://secret.example\n");
  const { code, stdout, stderr } = await runInProcess(['check'], { ORDER_SYNC_CONFIG: path });
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(`${path} line 2 is not NAME=value\n`);
  expect(stderr).not.toMatch(/canary|secret\.example/);
});

test('the file is that of the option, else of the variable, else the one of the folder, if there is one', async () => {
  await using folder = await openFolder();
  const at = (name: string) => join(folder.path, name);
  const find = (option?: string, ORDER_SYNC_CONFIG?: string) =>
    findConfigFile(contextOf(folder.path, { ORDER_SYNC_CONFIG }), option);
  expect(find()).toEqual({ path: at('order-sync.env'), isGiven: false });
  expect(find(undefined, ' ')).toEqual({ path: at('order-sync.env'), isGiven: false });
  expect(find(undefined, ' a.env ')).toEqual({ path: at('a.env'), isGiven: true });
  expect(find('/b.env', 'a.env')).toEqual({ path: '/b.env', isGiven: true });
  const read = (option?: string) => withConfig(contextOf(folder.path, { A: '1' }), () => option).env;
  expect(read()).toEqual({ A: '1' });
  expect(() => read('a.env')).toThrow(/the settings file .*a\.env: it does not exist; .* writes one/);
  expect(() => read(folder.path)).toThrow(/: it cannot be read; check its permissions/);
  await writeFile(at('order-sync.env'), 'B=2\n');
  expect(read()).toEqual({ A: '1', B: '2' });
});

test('a file is written whole, for its owner alone, and replaces another one only if it is asked for', async () => {
  await using folder = await openFolder();
  const path = join(folder.path, 'order-sync.env');
  await assertWritable(path, false);
  await writeConfigFile(path, { SHOP_LOGIN: 'a b' });
  expect(await readFile(path, 'utf8')).toMatch(/^# Written by .*\nSHOP_LOGIN='a b'\n$/);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  await expect(assertWritable(path, false)).rejects.toThrow(/exists already; --force replaces it/);
  await assertWritable(path, true);
  const nowhere = join(folder.path, 'no', 'order-sync.env');
  await expect(assertWritable(nowhere, false)).rejects.toThrow(/cannot be written \(ENOENT\)/);
  await mkdir(join(folder.path, 'taken'));
  await expect(writeConfigFile(join(folder.path, 'taken'), {})).rejects.toThrow(
    /cannot be written \(EISDIR\)/,
  );
  expect((await readdir(folder.path)).toSorted()).toEqual(['order-sync.env', 'taken']);
});
