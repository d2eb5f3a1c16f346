import { mkdir, mkdtempDisposable, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import * as fc from 'fast-check';
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';

import type { CliContext } from '../../src/cli/output/io.ts';
import {
  assertWritable,
  findBrokenLines,
  findConfigFile,
  formatConfigFile,
  withConfig,
  withConfigFile,
  writeConfigFile,
} from '../../src/cli/settings-file.ts';
import { ConfigError } from '../../src/model/errors.ts';
import { cliContext } from '../support/cli-context.ts';
import { runInProcess } from '../support/run-in-process.ts';

const openFolder = async () => mkdtempDisposable(join(tmpdir(), 'order-sync-file-'));

const contextOf = (directory: string, config: string | undefined, env: CliContext['env']) =>
  cliContext({ directory, env, flags: config === undefined ? {} : { config } });

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
    findConfigFile(contextOf(folder.path, option, { ORDER_SYNC_CONFIG }));
  expect(find()).toEqual({ path: at('order-sync.env'), isRequired: false });
  expect(find(undefined, ' ')).toEqual({ path: at('order-sync.env'), isRequired: false });
  expect(find(undefined, ' a.env ')).toEqual({ path: at('a.env'), isRequired: true });
  expect(find('/b.env', 'a.env')).toEqual({ path: '/b.env', isRequired: true });
  const read = (option?: string) => withConfig(contextOf(folder.path, option, { A: '1' })).env;
  expect(read()).toEqual({ A: '1' });
  expect(() => read('a.env')).toThrow(/the settings file .*a\.env: it does not exist; .* writes one/);
  expect(() => read(folder.path)).toThrow(/: it cannot be read; check its permissions/);
  expect((await runInProcess(['status', '--help'], { ORDER_SYNC_CONFIG: folder.path })).code).toBe(0);
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

const MARKS = ['a', 'é', '"', "'", '`', '#', '$', '\\', '=', '{', '}', ' ', '\t', '\n'];

test('any value that is written can be read again', () => {
  const value = fc.string({ unit: fc.constantFrom(...MARKS), maxLength: 12 });
  fc.assert(
    fc.property(value, (given) => {
      try {
        expect(parseEnv(formatConfigFile({ SHOP_API_KEY: given, SHOP_LOGIN: 'x' }))).toEqual({
          SHOP_API_KEY: given,
          SHOP_LOGIN: 'x',
        });
        expect(given).not.toContain('\n');
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        expect(given).toMatch(/['\n]/);
      }
    }),
    { seed: 20_261_122, verbose: true, numRuns: 2_000 },
  );
});

test('a value that no quotes can hold is refused with what to do, and is not repeated', () => {
  const format = () => formatConfigFile({ SHOP_API_KEY: `se'cr"et\`` });
  expect(format).toThrow(/SHOP_API_KEY.*SHOP_API_KEY_FILE/);
  expect(format).not.toThrow(/cr"et/);
});

test('the environment overrides the file, a secret in a file of its own too', () => {
  const file = "SHOP_URL='https://a.example'\nSHOP_API_KEY='from the file'\nSHOP_LOGIN=admin\n";
  const env = { SHOP_URL: 'https://b.example', SHOP_API_KEY_FILE: '/run/secrets/key', SHOP_LOGIN: '' };
  expect(withConfigFile(env, file)).toEqual({
    SHOP_URL: 'https://b.example',
    SHOP_API_KEY_FILE: '/run/secrets/key',
    SHOP_LOGIN: 'admin',
  });
});

test('Docker does not substitute variables in written values', () => {
  expect(formatConfigFile({ A: 'x$y', B: 'a\\n"b' })).toBe(`A='x$y'\nB='a\\n"b'\n`);
});

test.each([
  ['', []],
  ['A="x"\nbroken\nB="y"', [2]],
  ["# a comment\n\n  export A=1\r\nB = 'x'\nC=\n", []],
  ['SHOP_URL http://x\nA=1', [1]],
  ['A=1\nsome words\n=2\n', [2, 3]],
  ['A="first\nsecond\nthird" # x\nbroken', [2, 3, 4]],
  ["A='open\nbroken\nB=1", [2]],
])('the lines of %j that set nothing are %j', (text, broken) => {
  expect(findBrokenLines(text)).toEqual(broken);
});
