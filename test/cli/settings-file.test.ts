import { spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtempDisposable, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import type { CliContext } from '../../src/cli/output/io.ts';
import {
  assertWritable,
  findConfigFile,
  ignoreInGit,
  withConfig,
  writeConfigFile,
} from '../../src/cli/settings-file.ts';
import { cliContext } from '../support/cli-context.ts';
import { runInProcess } from '../support/run-in-process.ts';

const openFolder = async () => mkdtempDisposable(join(tmpdir(), 'order-sync-file-'));

const contextOf = (directory: string, env: CliContext['env'] = {}) => cliContext({ directory, env });

test('a broken line of the settings file is reported without its content, and an exposed file once', async () => {
  await using folder = await openFolder();
  const path = join(folder.path, 'shop.env');
  await writeFile(path, "SHOP_API_KEY='canary'\nSHOP_URL http://secret.example\n");
  await chmod(path, 0o644);
  const run = () => runInProcess(['check'], { ORDER_SYNC_CONFIG: path });
  const exposed = await run();
  expect(exposed).toMatchObject({ code: 2, stdout: '' });
  expect(exposed.stderr).toContain(`${path} line 2 is not NAME=value\n`);
  expect(exposed.stderr.match(/Warning: others can read \S+, which holds secrets; chmod 600/g)).toHaveLength(
    1,
  );
  expect(exposed.stderr).not.toMatch(/canary|secret\.example/);
  await chmod(path, 0o600);
  expect((await run()).stderr).not.toContain('Warning');
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

test('others who can read secrets are told of once; a file without secrets, or for its group, is none of theirs', async () => {
  await using folder = await openFolder();
  const path = join(folder.path, 'order-sync.env');
  const notes = async (text: string, mode: number) => {
    await writeFile(path, text);
    await chmod(path, mode);
    const context = contextOf(folder.path);
    const configured = withConfig(context, () => undefined);
    expect([configured.env, configured.env].map((env) => Object.keys(env).length)).toEqual([1, 1]);
    return context.written.err.length;
  };
  expect(await notes('PII_SECRET=x\n', 0o604)).toBe(1);
  expect(await notes('PII_SECRET=x\n', 0o640)).toBe(0);
  expect(await notes('SHOP_LOGIN=x\n', 0o644)).toBe(0);
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

test('Git ignores the file, in a repository that does not do so yet', async () => {
  await using folder = await openFolder();
  const inner = join(folder.path, 'a', 'b');
  await mkdir(inner, { recursive: true });
  const path = join(inner, 'order-sync.env');
  const lines = async () => readFile(join(inner, '.gitignore'), 'utf8');
  expect(await ignoreInGit(path)).toBe(false);
  spawnSync('git', ['init', '--quiet'], { cwd: folder.path });
  expect(await ignoreInGit(path)).toBe(true);
  expect(await lines()).toBe('/order-sync.env\n');
  expect(await ignoreInGit(path)).toBe(false);
  for (const ignored of ['x\norder-sync.env', '*.env', 'order-sync.*']) {
    await writeFile(join(inner, '.gitignore'), ignored);
    expect(await ignoreInGit(path), ignored).toBe(false);
  }
  await writeFile(join(inner, '.gitignore'), 'order-sync.envs');
  expect([await ignoreInGit(path), await lines()]).toEqual([true, 'order-sync.envs\n/order-sync.env\n']);
});
